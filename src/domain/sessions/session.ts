import type { OrgId, SessionId, UserAgentId, UserId } from '../shared/ids.js';
import type { ProofLevel, Proofs } from './proof.js';

/** What somebody must do before their session is good for anything; the first of several. */
export type SessionStep = 'second-factor' | 'change-password' | 'set-up-factor' | 'verify-email';

/**
 * User agents and sessions. A user agent is one browser, known by a random secret in a cookie; a session is one user
 * signed in there. The secret changes at every sign-in, so a cookie planted or stolen before is worth nothing
 * after. Sessions end by logout or by an administrator, never by age alone: one that is too old merely signs nobody
 * in any more.
 */
export interface Session {
  readonly id: SessionId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly userAgentId: UserAgentId;
  /** Seconds since the user last authenticated, by the database's clock. */
  readonly authAgeSeconds: number;
  /** The moment itself, in seconds since 1970: what is compared with another moment is not read twice. */
  readonly authenticatedAt: number;
  /** What was shown in it, and when. */
  readonly proofs: Proofs;
  /** The most that its user can show, with what they have set up. */
  readonly reachableLevel: ProofLevel;
  /** Until it is done the session is offered nowhere: not to applications, not to our own pages. */
  readonly step?: SessionStep;
}

/** A session as its user recognises it in a list. */
export interface SessionRecord {
  readonly id: SessionId;
  /** Browser and system (describe-browser.ts), where they were recognised. */
  readonly device?: string;
  readonly createdAt: Date;
  /** When the user last authenticated. */
  readonly authenticatedAt: Date;
  readonly lastUsedAt: Date;
}

/** A browser, and the sessions of active users in it, last used first. */
export interface UserAgent {
  readonly id: UserAgentId;
  readonly sessions: readonly Session[];
  /** Not ended, but idle for too long or begun too long ago: their users are remembered and must sign in again. */
  readonly lapsed: readonly Session[];
}

/** The sessions whose users have nothing left to do. */
export function settledSessions(agent: UserAgent | undefined): readonly Session[] {
  return agent?.sessions.filter((session) => session.step === undefined) ?? [];
}

/**
 * The sessions whose users may show once more who they are: the settled ones, and those in which a factor is to be set up, which
 * asks for a fresh proof.
 */
export function provableSessions(agent: UserAgent | undefined): readonly Session[] {
  return agent?.sessions.filter(({ step }) => step === undefined || step === 'set-up-factor') ?? [];
}

export interface NewUserAgent {
  readonly id: UserAgentId;
  /** Goes into the cookie; only its hash is stored. */
  readonly secret: string;
}
