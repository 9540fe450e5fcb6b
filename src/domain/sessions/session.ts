import type { OrgId, SessionId, UserAgentId, UserId } from '../shared/ids.js';

/**
 * Browser agents and sessions. An agent is one browser, known by a random secret in a cookie; a session is one user
 * signed in there. The secret changes at every sign-in, so a cookie planted or stolen before is worth nothing
 * after. Sessions end by logout or by an administrator, never by age alone.
 */
export interface Session {
  readonly id: SessionId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly userAgentId: UserAgentId;
  /** Seconds since the user last proved who they are, by the database's clock. */
  readonly authAgeSeconds: number;
}

/** A session as its user recognises it in a list. */
export interface SessionRecord {
  readonly id: SessionId;
  /** Browser and system (describe-browser.ts), where they were recognised. */
  readonly device?: string;
  readonly createdAt: Date;
  /** When the user last proved who they are. */
  readonly authenticatedAt: Date;
  readonly lastUsedAt: Date;
}

/** A browser, and the sessions of active users that live in it, last used first. */
export interface BrowserAgent {
  readonly id: UserAgentId;
  readonly sessions: readonly Session[];
}

export interface NewAgent {
  readonly id: UserAgentId;
  /** Goes into the cookie; only its hash is stored. */
  readonly secret: string;
}
