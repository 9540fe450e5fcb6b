import { decodeJwt } from 'jose';
import { startTestApi, type TestApi } from '../../support/api.js';
import { obtainTokens, TestBrowser } from '../../support/browser-flow.js';
import { type TestClient, type TestUser, World } from '../../support/world.js';
import { dumpRedis } from './redis-server.js';
import { RelyingParty } from './relying-party.js';
import { WorkerProcess } from './worker-process.js';

export interface OwedLogout {
  readonly sid: string;
  readonly userId: string;
  readonly clientId: string;
}

export interface NoticeState {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly outboxId: string;
}

/** The API on a database of its own, an application that is told of logouts, and the workers that tell it. */
export class Logouts {
  private readonly workers: WorkerProcess[] = [];

  private constructor(
    readonly api: TestApi,
    readonly world: World,
    readonly party: RelyingParty,
    private readonly user: TestUser,
  ) {}

  static async build(redisUrl: string): Promise<Logouts> {
    const api = await startTestApi({ REDIS_URL: redisUrl });
    const world = await World.create(api);
    return new Logouts(api, world, await RelyingParty.start(), await world.addUser());
  }

  async application(backChannelLogoutUri: string, devMode = false): Promise<TestClient> {
    return await this.world.addClient({ backChannelLogoutUri, devMode });
  }

  /** Somebody signs in for the application and out again; from then on the notice is owed. */
  async signOut(client: TestClient): Promise<OwedLogout> {
    const browser = new TestBrowser(this.api);
    const { id_token: hint } = await obtainTokens(this.api, client, this.user, {}, browser);
    const response = await browser.get(
      `/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: hint }).toString()}`,
    );
    if (!response.body.includes('signed out')) throw new Error(`not signed out: ${response.statusCode}`);
    const { sid, sub = '' } = decodeJwt(hint);
    return { sid: String(sid), userId: sub, clientId: client.clientId };
  }

  async stateOf({ sid }: OwedLogout): Promise<NoticeState> {
    const { rows } = await this.api.sql.query<NoticeState>(
      `SELECT id, state, attempts, last_error AS "lastError", outbox_id AS "outboxId"
       FROM logout_notices WHERE session_id = $1`,
      [sid],
    );
    if (rows[0] === undefined) throw new Error('there is no notice');
    return rows[0];
  }

  async count(from: 'outbox' | 'events', where: string): Promise<number> {
    const { rows } = await this.api.sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${from} WHERE ${where}`,
    );
    return rows[0]?.count ?? 0;
  }

  spawnWorker(overrides: Readonly<Record<string, string>> = {}): WorkerProcess {
    const worker = WorkerProcess.spawn({
      ...this.api.environment,
      LOG_LEVEL: 'info',
      WORKER_QUEUES: 'notifications',
      OUTBOUND_PRIVATE_ADDRESSES: 'allow',
      ...overrides,
    });
    this.workers.push(worker);
    return worker;
  }

  async startWorker(overrides: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
    const worker = this.spawnWorker(overrides);
    await worker.untilReady();
    return worker;
  }

  logs(): string {
    return this.workers.map((worker) => worker.log).join('');
  }

  async dumpRedis(): Promise<string> {
    return await dumpRedis(this.api.config.redis.url, this.api.config.queues.prefix);
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await this.party.stop();
    await this.api.close();
  }
}
