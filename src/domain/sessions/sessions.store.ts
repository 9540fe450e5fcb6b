import type { OrgId, SessionId, UserAgentId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { BrowserAgent, Session } from './session.js';
import type { SessionSettings } from './session-settings.js';

export interface NewSession {
  readonly id: SessionId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly userAgentId: UserAgentId;
  readonly amr: readonly string[];
}

export abstract class SessionsStore {
  abstract findAgent(secretHash: Buffer, life: SessionSettings): Promise<BrowserAgent | undefined>;

  abstract addAgent(id: UserAgentId, secretHash: Buffer): Promise<void>;

  /** Replaces the agent's secret if it still is `previousHash`; the previous one is dead from then on. */
  abstract rotateAgent(tx: Tx, id: UserAgentId, previousHash: Buffer, nextHash: Buffer): Promise<boolean>;

  /**
   * Starts a session at the database's time, or renews the live one of the same user in the same browser, which
   * keeps its id. Undefined, and nothing written, when the user is no longer active.
   */
  abstract start(tx: Tx, session: NewSession): Promise<Session | undefined>;

  /** Ends sessions that still live and writes their events; tokens that name them are dead with the commit. */
  abstract end(tx: Tx, ids: readonly SessionId[], reason: string, actorId: UserId | null): Promise<number>;

  /** A session of this browser that has not ended, of a user who is active, as the transaction sees it. */
  abstract findLive(tx: Tx, id: SessionId, userAgentId: UserAgentId): Promise<Session | undefined>;
}
