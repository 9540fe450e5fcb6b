import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Queue } from 'bullmq';
import type pg from 'pg';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { startPostgres, type PrivatePostgres } from '../../../scripts/services.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import { Primary } from '../../../src/storage/postgres/connections/primary.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { randomPrefix, redisUrl } from '../../support/redis.js';
import { eventually } from '../../workers/support/eventually.js';
import { SmtpSink } from '../../workers/support/smtp-sink.js';
import { WorkerProcess } from '../../workers/support/worker-process.js';
import { ApiProcess } from './api-process.js';
import { Load, type Credentials } from './load.js';
import { ndjson } from './people.js';
import { Watch } from './watch.js';

const run = promisify(execFile);
const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');

/** Hashing that takes next to nothing; the tests are not about it. */
const QUICK = { PASSWORD_MEMORY_KIB: '8', PASSWORD_ITERATIONS: '1' };
/** Hashing that makes a chunk of a hundred plain passwords last for a good part of a second. */
export const SLOW = { PASSWORD_MEMORY_KIB: '2048', PASSWORD_ITERATIONS: '1', PASSWORD_SLOTS: '1' };

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface UploadOptions {
  readonly query?: string;
  readonly key?: string;
  readonly pat?: string;
  readonly origin?: string;
}

/** An installation of one scenario: database, mail server, API, workers, and somebody who signs in all the while. */
export class Site {
  readonly prefix = randomPrefix();
  readonly workers: WorkerProcess[] = [];
  readonly apis: ApiProcess[] = [];
  readonly queues: Queue[] = [];
  load!: Load;
  watch!: Watch;
  credentials!: Credentials;
  origin = '';
  private readonly folder = makeTestFolder();

  private constructor(
    readonly databaseUrl: string,
    /** Who is asked what Redis holds. */
    public redisUrl: string,
    private readonly redis: Readonly<Record<string, string>>,
    readonly pool: pg.Pool,
    readonly sink: SmtpSink,
    private readonly drop: () => Promise<void>,
  ) {}

  /**
   * @param redis whose URL; that of the run by default
   * @param settings what else API and workers are told of Redis
   */
  static async build(
    redis: string = redisUrl(),
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Site> {
    const database = await cloneDatabase();
    return await Site.on(database, redis, settings);
  }

  /** On a PostgreSQL that the scenario may do anything to. */
  static async buildOn(server: Pick<PrivatePostgres, 'url'>, redis: string = redisUrl()): Promise<Site> {
    await migrateDatabase(server.url);
    return await Site.on({ url: server.url, serviceUrl: server.url, drop: () => Promise.resolve() }, redis);
  }

  /** As another release makes it, on a PostgreSQL without anything. @param dist of that release */
  static async buildBy(dist: string, { url }: PrivatePostgres): Promise<Site> {
    const env = { PATH: process.env['PATH'], DATABASE_URL: url };
    await run(process.execPath, [path.join(dist, 'src/cli/migrate.js')], { env });
    const database = { url, serviceUrl: url, drop: () => Promise.resolve() };
    return await Site.on(database, redisUrl(), {}, dist);
  }

  private static async on(
    database: TestDatabase,
    redis: string,
    settings: Readonly<Record<string, string>> = {},
    dist = DIST,
  ): Promise<Site> {
    const pool = Primary.of(database.url).pool({ max: 3 });
    pool.on('error', () => undefined);
    const told = { REDIS_URL: redis, ...settings };
    const sink = await SmtpSink.start();
    const site = new Site(database.serviceUrl, redis, told, pool, sink, () => database.drop());
    site.origin = `http://127.0.0.1:${await anyFreePort()}`;
    await site.bootstrap(dist);
    return site;
  }

  /** API, load and watch; scenarios that begin with something broken start them by themselves. */
  async open(overrides: Readonly<Record<string, string>> = {}): Promise<this> {
    await this.startApi(overrides);
    this.load = new Load(this.origin, this.credentials);
    this.watch = new Watch(this.pool);
    return this;
  }

  environment(overrides: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      NODE_ENV: 'test',
      OPS_PORT: '0',
      LOG_LEVEL: 'info',
      DATABASE_URL: this.databaseUrl,
      DATABASE_POOL_SIZE: '6',
      ...this.redis,
      QUEUE_PREFIX: this.prefix,
      SMTP_URL: this.sink.url,
      PUBLIC_URL: this.origin,
      HOST: '127.0.0.1',
      PORT: new URL(this.origin).port,
      SIGN_IN_RESPONSE_PADDING: '0s',
      ...Object.fromEntries(['TOKEN', 'SIGN_IN', 'API'].map((name) => [`RATE_LIMIT_${name}`, '0'] as const)),
      RATE_LIMIT_FLOW: '1000000',
      ...QUICK,
      ...overrides,
    };
  }

  async startApi(overrides: Readonly<Record<string, string>> = {}): Promise<ApiProcess> {
    const api = ApiProcess.spawn(this.environment(overrides));
    this.apis.push(api);
    await api.untilReady();
    return api;
  }

  /** Beside the one that people come to. */
  async startReplica(): Promise<ApiProcess> {
    const replica = await ApiProcess.beside(this.environment());
    this.apis.push(replica);
    await replica.untilReady();
    return replica;
  }

  spawnWorker(overrides: Readonly<Record<string, string>> = {}): WorkerProcess {
    const worker = WorkerProcess.spawn(this.environment(overrides));
    this.workers.push(worker);
    return worker;
  }

  async startWorker(overrides: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
    const worker = this.spawnWorker(overrides);
    await worker.untilReady();
    return worker;
  }

  async startWorkers(
    count: number,
    overrides: Readonly<Record<string, string>> = {},
  ): Promise<WorkerProcess[]> {
    return await Promise.all(Array.from({ length: count }, () => this.startWorker(overrides)));
  }

  /** Starts a worker again whenever one has died, as an orchestrator does. */
  supervise(count: number, overrides: Readonly<Record<string, string>>): { stop(): Promise<void> } {
    const stopped = new AbortController();
    const keep = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        const worker = this.spawnWorker(overrides);
        await worker.exited;
      }
    };
    const kept = Promise.all(Array.from({ length: count }, keep));
    return {
      stop: async () => {
        stopped.abort();
        await Promise.all(this.workers.map((worker) => worker.kill()));
        await kept;
      },
    };
  }

  async post(
    body: string | Buffer,
    { query = 'mode=skip', key, pat = this.credentials.serviceUser.pat, origin }: UploadOptions = {},
  ): Promise<Answer> {
    const response = await fetch(`${origin ?? this.origin}/management/v1/imports?${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${pat}`,
        'content-type': 'application/x-ndjson',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { status: response.status, body: await response.text() };
  }

  /** Sends a file that must be accepted. */
  async upload(records: readonly unknown[], options: UploadOptions = {}): Promise<ImportAnswer> {
    const { status, body } = await this.post(ndjson(records), options);
    if (status !== 202) throw new Error(`the upload was answered ${status}: ${body}`);
    return JSON.parse(body) as ImportAnswer;
  }

  async call(
    method: 'GET' | 'POST' | 'DELETE',
    route: string,
    pat: string = this.credentials.serviceUser.pat,
  ): Promise<Answer> {
    const response = await fetch(`${this.origin}/management/v1/${route}`, {
      method,
      headers: {
        authorization: `Bearer ${pat}`,
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{}' }),
    });
    return { status: response.status, body: await response.text() };
  }

  /** After the lead time. */
  async rotateKeys(): Promise<Answer> {
    const response = await fetch(`${this.origin}/admin/v1/keys/_rotate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.credentials.adminServiceUser.pat}`,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    return { status: response.status, body: await response.text() };
  }

  async step(id: string, verb: 'pause' | 'resume' | 'cancel' | 'undo' | 'notify'): Promise<Answer> {
    return await this.call('POST', `imports/${id}/_${verb}`);
  }

  async job(id: string): Promise<ImportAnswer> {
    const { body } = await this.call('GET', `imports/${id}`);
    return JSON.parse(body) as ImportAnswer;
  }

  async stateOf(id: string): Promise<string> {
    const { rows } = await this.pool.query<{ state: string }>('SELECT state FROM imports WHERE id = $1', [
      id,
    ]);
    return rows[0]?.state ?? 'none';
  }

  /** Records of an import that have an outcome. */
  async progress(id: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT coalesce(sum(created + updated + skipped + failed), 0)::int AS count
       FROM import_chunks WHERE import_id = $1`,
      [id],
    );
    return rows[0]?.count ?? 0;
  }

  async untilProgress(id: string, records: number, withinMs = 60_000): Promise<void> {
    await eventually(`${records} records of the import`, withinMs, async () => {
      return (await this.progress(id).catch(() => 0)) >= records;
    });
  }

  /** Consuming again (security I9): something more of the import happens in time. */
  async untilMoving(id: string, withinMs = 15_000): Promise<void> {
    const before = await this.progress(id);
    await eventually('the import to go on', withinMs, async () => {
      const over = ['done', 'failed', 'cancelled'].includes(await this.stateOf(id));
      return over || (await this.progress(id)) > before;
    });
  }

  async untilEnded(id: string, withinMs = 120_000): Promise<string> {
    return await eventually('the end of the import', withinMs, async () => {
      const state = await this.stateOf(id).catch(() => '');
      return ['done', 'failed', 'cancelled', 'undone'].includes(state) ? state : undefined;
    });
  }

  async count(from: string, where = 'true'): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${from} WHERE ${where}`,
    );
    return rows[0]?.count ?? 0;
  }

  async untilNothingQueued(withinMs = 90_000, where = 'true'): Promise<void> {
    const queued = async (): Promise<string> => {
      const { rows } = await this.pool.query<{ what: string }>(
        `SELECT concat_ws(' ', count(*), job_name, state, 'epoch', epoch) AS what FROM outbox WHERE ${where}
         GROUP BY job_name, state, epoch`,
      );
      return rows.map(({ what }) => what).join(', ');
    };
    await eventually('nothing queued', withinMs, async () => (await queued()) === '').catch(async () => {
      throw new Error(`queued after ${withinMs} ms: ${await queued()}`);
    });
  }

  async people(): Promise<number> {
    return await this.count('users', `user_name LIKE 'person-%'`);
  }

  /** Somebody of the same organization who may import; with a token. */
  async addImporter(): Promise<{ id: string; orgId: string; pat: string; patId: string }> {
    const pat = `pat_${randomBytes(32).toString('base64url')}`;
    const { rows } = await this.pool.query<{ id: string; orgId: string; patId: string }>(
      `WITH org AS (SELECT org_id AS id FROM users WHERE kind = 'machine' ORDER BY created_at LIMIT 1),
       added AS (
         INSERT INTO users (org_id, kind, user_name)
         SELECT id, 'machine', 'importer-' || new_id() FROM org RETURNING id, org_id
       ), machine AS (
         INSERT INTO service_users (user_id, org_id, name) SELECT id, org_id, 'Importer' FROM added
       ), member AS (
         INSERT INTO memberships (user_id, user_org_id, role, org_id)
         SELECT id, org_id, 'ORG_OWNER', org_id FROM added
       ), token AS (
         INSERT INTO personal_access_tokens (org_id, user_id, token_hash)
         SELECT org_id, id, sha256($1) FROM added RETURNING id
       )
       SELECT added.id, added.org_id AS "orgId", token.id AS "patId" FROM added, token`,
      [Buffer.from(pat)],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('there is no organization');
    return { ...row, pat };
  }

  /** Another organization, and somebody who owns it; with a token. */
  async addOrganization(): Promise<{ orgId: string; pat: string }> {
    const pat = `pat_${randomBytes(32).toString('base64url')}`;
    const orgId = `org-${randomBytes(6).toString('hex')}`;
    const userId = `owner-${orgId}`;
    for (const [text, values] of [
      ['INSERT INTO organizations (id, name) VALUES ($1, $1)', [orgId]],
      [`INSERT INTO users (id, org_id, kind, user_name) VALUES ($1, $2, 'machine', $1)`, [userId, orgId]],
      [
        `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
        [userId, orgId],
      ],
      [
        'INSERT INTO personal_access_tokens (org_id, user_id, token_hash) VALUES ($1, $2, sha256($3))',
        [orgId, userId, Buffer.from(pat)],
      ],
    ] as const) {
      await this.pool.query(text, [...values]);
    }
    return { orgId, pat };
  }

  /** The queue as an operator, or a bug, reaches it. */
  queue(name: 'imports' | 'notifications'): Queue {
    const { hostname, port, password } = new URL(this.redisUrl);
    const connection = { host: hostname, port: Number(port), password: decodeURIComponent(password) };
    const queue = new Queue(name, { prefix: this.prefix, connection });
    queue.on('error', () => undefined);
    this.queues.push(queue);
    return queue;
  }

  /** What all processes wrote so far. */
  logs(): string {
    return [...this.apis, ...this.workers].map(({ log }) => log).join('');
  }

  async tearDown(): Promise<void> {
    const keep = process.env['FAULTS_LOGS'];
    if (keep !== undefined) await writeFile(path.join(keep, `${this.prefix}.log`), this.logs());
    await this.load?.stop();
    await this.watch?.stop();
    await Promise.all(this.queues.map((queue) => queue.disconnect().catch(() => undefined)));
    await Promise.all([...this.apis, ...this.workers].map((one) => one.kill()));
    await this.sink.stop();
    await this.pool.end();
    await this.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async bootstrap(dist: string): Promise<void> {
    const file = path.join(this.folder, 'credentials.json');
    const script = path.join(dist, 'src/cli/bootstrap.js');
    await run(process.execPath, [script, '--credentials', file], {
      env: { PATH: process.env['PATH'], ...this.environment() },
    });
    this.credentials = JSON.parse(await readFile(file, 'utf8')) as Credentials;
  }
}

export interface SiteOptions {
  readonly redis?: string;
  /** What else API and workers are told of Redis. */
  readonly redisSettings?: Readonly<Record<string, string>>;
  readonly postgres?: Pick<PrivatePostgres, 'url'>;
  /** Of the API. */
  readonly api?: Readonly<Record<string, string>>;
}

/** Runs one scenario on an installation of its own, which is taken down again however it ends. */
export async function onSite(
  scenario: (site: Site) => Promise<void>,
  { redis = redisUrl(), redisSettings, postgres, api }: SiteOptions = {},
): Promise<void> {
  const site =
    postgres === undefined ? await Site.build(redis, redisSettings) : await Site.buildOn(postgres, redis);
  try {
    await site.open(api);
    await scenario(site);
  } finally {
    await site.tearDown();
  }
}

/** A PostgreSQL of one's own, for scenarios that kill or fill it. */
export async function startOwnPostgres(): Promise<PrivatePostgres> {
  const folder = makeTestFolder();
  const server = await startPostgres({ dir: path.join(folder, 'postgres'), durable: false });
  const stop = server.stop.bind(server);
  server.stop = async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  return server;
}
