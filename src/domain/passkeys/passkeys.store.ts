import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, PasskeyId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { NewPasskey, Passkey, PasskeyCredential } from './passkey.js';

/** What a challenge is good for. All of it must be the same when the answer comes. */
export interface ChallengeBinding {
  readonly purpose: 'register' | 'sign-in' | 'second-factor';
  /** The flow of a page, or the session of whoever registers. */
  readonly boundTo: string;
  /** The browser that the page is shown in; null for a call of the API, whose session is of one browser. */
  readonly userAgentId: string | null;
  /** Null where nobody has said yet who they are. */
  readonly userId: UserId | null;
}

export interface NewChallenge extends ChallengeBinding {
  readonly hash: Buffer;
  readonly orgId: OrgId | null;
  /** Of who registers. */
  readonly userHandle: Buffer | null;
}

/** How an assertion was, for the next one to be held against. */
export interface PasskeyUse {
  readonly signCount: number;
  readonly backedUp: boolean;
  /** Whatever it counted, now or before: what is on file stays, for the next one to be held against. */
  readonly anyCount: boolean;
}

/** Passkeys of users, and the challenges of their ceremonies, each of which is answered once. */
export abstract class PasskeysStore {
  abstract addChallenge(challenge: NewChallenge, seconds: number): Promise<void>;

  /** Takes a live challenge away in one conditional statement: of two answers to it one gets it. */
  abstract takeChallenge(
    hash: Buffer,
    binding: ChallengeBinding,
    tx?: Tx,
  ): Promise<{ readonly userHandle: Buffer | null } | undefined>;

  /** Oldest first. */
  abstract listOfUser(orgId: OrgId, userId: UserId, tx?: Tx): Promise<readonly Passkey[]>;

  /** Of an active user or any other; oldest first. */
  abstract credentialsOfUser(orgId: OrgId, userId: UserId): Promise<readonly PasskeyCredential[]>;

  abstract findCredential(credentialId: Buffer): Promise<PasskeyCredential | undefined>;

  /** @throws ApiError already-exists for a credential that anybody has, failed-precondition for one too many */
  abstract add(tx: Tx, passkey: NewPasskey): Promise<Passkey>;

  abstract rename(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PasskeyId,
    name: string,
  ): Promise<ResourceDetails | undefined>;

  abstract remove(tx: Tx, orgId: OrgId, userId: UserId, id: PasskeyId): Promise<ResourceDetails | undefined>;

  /**
   * Notes a use in one conditional statement. False, and nothing noted, when the passkey is gone or, unless it may count anything, its
   * counter went back or did not rise, which is how a copy of an authenticator shows (WebAuthn §6.1.1); those that count nothing stay at 0.
   */
  abstract recordUse(tx: Tx, id: PasskeyId, use: PasskeyUse): Promise<boolean>;

  /** From then on there may be a copy, whatever it counts later. */
  abstract noteCounterWentBack(tx: Tx, id: PasskeyId): Promise<void>;
}
