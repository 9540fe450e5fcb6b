import type { SecurityProfile } from '../applications/oidc-config.js';
import type { Claim, NotClaimed } from '../outbox/delivery.js';
import type { ClientId, LogoutNoticeId, OrgId, SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';

/**
 * Logout notices (OpenID Connect Back-Channel Logout 1.0): that a session is over, queued for an application that holds
 * a grant of it and has registered a URI for the news. One for each session and application, written in the
 * transaction that ends the session (sessions.store.ts).
 *
 * States: pending → sending → delivered | abandoned (outbox/delivery.ts).
 */

/** Name of the job that delivers one; its payload holds `logoutNoticeId`. */
export const DELIVER_LOGOUT = 'deliver-logout';

/** What a claim gives: everything one delivery needs, read in the statement that made the claim. */
export interface ClaimedLogoutNotice extends Claim {
  readonly id: LogoutNoticeId;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly clientId: ClientId;
  /** Application and project are active, the organization is active or was removed, and the instance takes such clients. */
  readonly applicationActive: boolean;
  readonly devMode: boolean;
  /** iat earlier, exp later by this many seconds (0–5). */
  readonly clockSkewSeconds: number;
  /** Its own, where it has one: a logout token is signed as an ID token is (Back-Channel Logout §2.4). */
  readonly idTokenAlgorithm?: SigningAlgorithm;
  readonly securityProfile?: SecurityProfile;
  /** For which it names users and sessions, where it has pairwise subjects. */
  readonly pairwiseSector?: string;
  /** Its endpoint has not answered for so long that this notice is not sent any more. */
  readonly givenUp: boolean;
  /** As it is registered now; null when it was taken back since the session ended. */
  readonly uri: string | null;
}

export type LogoutClaim =
  /** `busy` also while its endpoint is left alone. */
  { readonly kind: 'claimed'; readonly notice: ClaimedLogoutNotice } | NotClaimed;

/** Logout notices as they are delivered; they are written with the end of a session (`SessionsStore`). */
export abstract class LogoutNoticesStore {
  /** Undefined where it is done, given up or not there. */
  abstract findOwner(id: LogoutNoticeId): Promise<OrgId | undefined>;

  /**
   * One conditional UPDATE, committed on its own: pending, or sending with a lapsed deadline → sending with the next
   * fence. Of any number of callers at once, one claims and the others get `busy`.
   *
   * An endpoint that has failed several times in a row is left alone: of all that waits for it one is claimed now and
   * then, to see whether it answers again, and what has been tried and has waited for hours, or has waited for a day, is claimed as
   * `givenUp`. So a dead endpoint costs a few calls an hour, however many notices are queued for it.
   */
  abstract claim(id: LogoutNoticeId, holdMs: number): Promise<LogoutClaim>;

  /** @returns false when the fence is no longer this one: then nothing was written */
  abstract markDelivered(tx: Tx, claim: ClaimedLogoutNotice): Promise<boolean>;

  /** @returns false when the fence is no longer this one: then nothing was written */
  abstract markAbandoned(
    tx: Tx,
    claim: ClaimedLogoutNotice,
    reason: string,
    endpoint: 'answered' | 'silent',
  ): Promise<boolean>;

  /** Gives the claim back after a failed attempt, so that a retry need not wait for the deadline, and blames the endpoint. */
  abstract release(claim: ClaimedLogoutNotice, reason: string): Promise<boolean>;
}
