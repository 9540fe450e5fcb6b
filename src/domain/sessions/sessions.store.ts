import type { IdentityProviderId, OrgId, SessionId, UserAgentId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ProofKind, Proofs } from './proof.js';
import type { Session, SessionRecord, UserAgent } from './session.js';

/** How long a session signs its user in without a password. */
export abstract class SessionSettings {
  /** Since it was last used for an application. */
  abstract readonly idleSeconds: number;
  /** Since the password was last checked. */
  abstract readonly absoluteSeconds: number;
}

export interface NewSession {
  readonly id: SessionId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly userAgentId: UserAgentId;
  /** What was shown; nothing that was shown earlier counts any more. */
  readonly proofs: readonly ProofKind[];
  /** What was shown before them in the session that this one takes the place of, with its times. */
  readonly earlierProofs?: Proofs | undefined;
  /** Browser and system in a few words of ours (describe-browser.ts). */
  readonly device?: string | undefined;
  /** Whether a browser that its user trusts spares them the second factor; false where they confirm who they are. */
  readonly trusts?: boolean | undefined;
  /** `StoredPassword.setAt` of the password that it begins with, where it was one. */
  readonly passwordSetAt?: string | undefined;
}

/** Sessions of one user: all that live, unless one is picked or spared. */
export interface SessionsOfUser {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly only?: SessionId;
  readonly except?: SessionId;
}

/** The session of an identity provider that one of ours began with. */
export interface ProviderSession {
  readonly providerId: IdentityProviderId;
  /** Who the user is there. */
  readonly subject: string;
  /** What the provider calls its session (`sid`), where it does. */
  readonly providerSession?: string | undefined;
  /** What the provider calls the user when it ends that (the NameID of SAML), where it is not the subject. */
  readonly providerName?: string | undefined;
  /** When they signed in there, in seconds since 1970 by its clock, where it says so. */
  readonly authenticatedAt?: number | undefined;
  /** When we asked the provider who they are, in seconds since 1970 by the database's clock. */
  readonly askedAt?: number | undefined;
  /** What a sign-out there must bring, sealed, where people who sign out here are sent to sign out there. */
  readonly hint?: SealedHint | undefined;
}

interface SealedHint {
  readonly sealed: Buffer;
  readonly dataKeyId: number;
}

/** What a session of ours leaves behind at a provider. */
export interface ProviderLogoutHint {
  readonly providerId: IdentityProviderId;
  readonly subject: string;
  readonly hint: SealedHint;
}

/** What a provider says has ended: a session of it, all of a subject, or that session of that subject. */
export interface ProviderSessionEnd {
  readonly providerId: IdentityProviderId;
  readonly subject?: string | undefined;
  readonly providerSession?: string | undefined;
  /** Seconds since 1970 by its clock: when it said so. */
  readonly at: number;
}

/** The same by a provider that has names for people beside their subject. */
export interface ProviderSessionByNameId {
  readonly providerId: IdentityProviderId;
  readonly providerName: string;
  /** Empty for all of them. */
  readonly providerSessions: readonly string[];
  /** As above. */
  readonly at: number;
}

/** Two clocks: a session of ours that began a moment before a provider said that its own has ended may look younger. */
export const PROVIDER_SKEW_SECONDS = 60;

/**
 * So long it is remembered what has ended at a provider: an earlier answer may still be on its way, or wait for the code of its
 * user's mailbox. A sign-in takes an hour at most; the rest is for what was ten minutes old when it came.
 */
export const ENDED_AT_PROVIDER_SECONDS = 4200;

/** Sessions in the browsers they belong to (user agents), and the sessions of identity providers that they began with. */
export abstract class SessionsStore {
  abstract findAgent(secretHash: Buffer, life: SessionSettings): Promise<UserAgent | undefined>;

  abstract addAgent(id: UserAgentId, secretHash: Buffer): Promise<void>;

  /** Replaces the agent's secret if it still is `previousHash`; the previous one is dead from then on. */
  abstract rotateAgent(tx: Tx, id: UserAgentId, previousHash: Buffer, nextHash: Buffer): Promise<boolean>;

  /**
   * Starts a session at the database's time, or renews the live one of the same user in the same browser, which
   * keeps its id. Undefined, and nothing written, when the user is no longer active or has another password by now:
   * a sign-in that a reset overtook must not begin a session after it.
   */
  abstract start(tx: Tx, session: NewSession): Promise<Session | undefined>;

  /**
   * One more thing that was shown in a session that lives, at the database's time, under the lock of its row: `amr` and
   * since when there are two factors follow from all of them, `auth_time` from what is enough by itself (`renewsSession`), and
   * the event is written with it. An old password keeps counting: a fresh one starts a new session.
   *
   * @param how what was set up a moment ago is of the user's own making: it counts, and makes nothing else fresh
   * @returns false, and nothing written, where the session has ended
   */
  abstract addProof(tx: Tx, id: SessionId, kind: ProofKind, how?: 'shown' | 'set-up'): Promise<boolean>;

  /**
   * Spares the session's user the second factor in its browser, for as long as the policy says and no longer than their
   * password, their factors and their access stay as they are. Nothing where the policy lets no browser be trusted, or the session lacks a
   * second factor itself.
   */
  abstract trustBrowser(tx: Tx, id: SessionId): Promise<void>;

  /**
   * Ends sessions that still live; tokens that name them are dead with the commit. Their events, and a logout notice
   * with its outbox row for each application that holds a grant of one and wants to be notified, are written with it:
   * no session can end unnoticed. Of several callers at once one ends a session.
   *
   * @returns how many it ended
   */
  abstract end(tx: Tx, ids: readonly SessionId[], reason: string, actorId: UserId | null): Promise<number>;

  /** A session of this browser that has not ended, of a user who is active, as the transaction sees it. */
  abstract findLive(tx: Tx, id: SessionId, userAgentId: UserAgentId): Promise<Session | undefined>;
  /** The same for sessions of one user. Another user's session is never touched, whatever its id. */
  abstract endOfUser(tx: Tx, which: SessionsOfUser, reason: string, actorId: UserId | null): Promise<number>;

  /** Ends what lives of these users' sessions, of one organization. */
  abstract endOfUsers(
    tx: Tx,
    orgId: OrgId,
    userIds: readonly UserId[],
    reason: string,
    actorId: UserId | null,
  ): Promise<number>;

  /**
   * Ends up to `limit` sessions of an organization that are valid only by their row: their users all signed in under an
   * earlier epoch.
   */
  abstract endOutdated(tx: Tx, orgId: OrgId, limit: number, reason: string): Promise<number>;

  /** So that the session ends when the provider says that its own has. */
  abstract keepProviderSession(tx: Tx, id: SessionId, of: ProviderSession): Promise<void>;

  /** What ended sessions need for a logout at their providers, each once, that of the last sign-in first. One statement, which removes it. */
  abstract takeLeftAtProviders(ids: readonly SessionId[]): Promise<readonly ProviderLogoutHint[]>;

  /**
   * Whether a session may begin with that of a provider: not with one that has ended there, if the provider's answer comes after the
   * notice of the end. If all sessions of a user have ended there, an answer to a request that we made since belongs to none of those,
   * whatever time of sign-in it has: the provider authenticated them again. A notice of the end waits until the transaction ends, so
   * that the second of the two sees what the first has done. Call it before locking anything of a session.
   */
  abstract admitProviderSession(tx: Tx, of: ProviderSession): Promise<boolean>;

  /** Remembers what has ended at a provider, for a while, and waits for sessions that begin with it just now. */
  abstract rememberEnded(tx: Tx, ended: ProviderSessionEnd | ProviderSessionByNameId): Promise<void>;

  /** Those that live and began with what has ended at a provider, but for those that began after it said so. */
  abstract listOfProvider(tx: Tx, ended: ProviderSessionEnd): Promise<readonly SessionId[]>;

  abstract listNamedByProvider(tx: Tx, ended: ProviderSessionByNameId): Promise<readonly SessionId[]>;

  /** What lives of a user's sessions, last used first; the first hundred. */
  abstract listOfUser(orgId: OrgId, userId: UserId): Promise<readonly SessionRecord[]>;
}
