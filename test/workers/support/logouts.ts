import { decodeJwt } from 'jose';
import { startTestApi, type TestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { obtainTokens, TestBrowser } from '../../support/browser-flow.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';
import { RelyingParty } from './relying-party.js';
import { WorkersOfApi } from './workers-of-api.js';

export interface QueuedLogout {
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
export class Logouts extends WorkersOfApi {
  private constructor(
    api: TestApi,
    readonly world: World,
    readonly party: RelyingParty,
    private readonly user: TestUser,
  ) {
    super(api, { WORKER_QUEUES: 'notifications', OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
  }

  static async build(redisUrl: string): Promise<Logouts> {
    const api = await startTestApi({ REDIS_URL: redisUrl });
    const world = await anOrganization(api);
    return new Logouts(api, world, await RelyingParty.start(), await aUser(world));
  }

  /** The same of an organization of its own, on the same API. */
  async ofOthers(): Promise<Logouts> {
    const world = await anOrganization(this.api);
    return new Logouts(this.api, world, this.party, await aUser(world));
  }

  async application(backChannelLogoutUri: string, devMode = false): Promise<TestClient> {
    return await anApplication(this.world, { backChannelLogoutUri, devMode });
  }

  /** Somebody signs in for the application and out again; from then on the notice is queued. */
  async signOut(client: TestClient): Promise<QueuedLogout> {
    const browser = new TestBrowser(this.api);
    const { id_token: hint } = await obtainTokens(this.api, client, this.user, {}, browser);
    const response = await browser.get(
      `/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: hint }).toString()}`,
    );
    if (!response.body.includes('signed out')) throw new Error(`not signed out: ${response.statusCode}`);
    const { sid, sub = '' } = decodeJwt(hint);
    return { sid: String(sid), userId: sub, clientId: client.clientId };
  }

  async stateOf({ sid }: QueuedLogout): Promise<NoticeState> {
    const { rows } = await this.api.sql.query<NoticeState>(
      `SELECT id, state, attempts, last_error AS "lastError", outbox_id AS "outboxId"
       FROM logout_notices WHERE session_id = $1`,
      [sid],
    );
    if (rows[0] === undefined) throw new Error('there is no notice');
    return rows[0];
  }

  override async tearDown(): Promise<void> {
    await super.tearDown();
    await this.party.stop();
  }
}
