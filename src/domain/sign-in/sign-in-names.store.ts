import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** From where a name is typed: what its pages belong to decides whose names come first. */
export interface SignInPlace {
  /** The organization that the request names, if it names one (protocol §6.2). */
  readonly named?: OrgId | undefined;
  /** The organization of the application. */
  readonly application?: OrgId | undefined;
  /** A sign-in to our own pages, without an application: they are the default organization's. */
  readonly ownPages?: boolean;
}

/** A user that a typed name could mean. */
export interface NameCandidate {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly active: boolean;
  /** The name is this user's full login name, `userName@<primary domain>`. */
  readonly full: boolean;
  /** The name is an address that this user has proven. */
  readonly proven: boolean;
  /** Whose user it is. Of `elsewhere` only those are candidates whose full name or counting address it is. */
  readonly at: 'named' | 'application' | 'elsewhere';
}

/** An account that an address could mean, as in the mail to its owner. */
export interface AccountOfAddress {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly organizationName: string;
  readonly loginName: string;
  /** As it is on file. */
  readonly address: string;
  readonly hasPassword: boolean;
}

/** The most accounts that a mail lists for one address. */
export const MOST_ACCOUNTS_LISTED = 10;

/** Whom a typed login name or address can mean, over all organizations. */
export abstract class SignInNamesStore {
  /**
   * Users whose full login name this is; of the two organizations of the place, those whose user name or verified
   * address it is; of others, those whose address it is and counts everywhere: one that they have proven, or that an
   * import or an administrator marked as verified while their organization has the address's domain verified.
   *
   * @param canonical the typed name in canonical form (NFKC, case-folded)
   */
  abstract findCandidates(canonical: string, place: SignInPlace): Promise<readonly NameCandidate[]>;

  /**
   * Users who can sign in or set a first password and have this address: proven, marked as verified as above, or in an organization of
   * the place, whose users come first.
   */
  abstract findAccountsOf(canonicalAddress: string, place: SignInPlace): Promise<readonly AccountOfAddress[]>;

  /**
   * Whether the owner of an address may be sent this list now: rate-limited like codes that anybody may request for a user. Two at
   * once wait for each other until their transactions end.
   *
   * @param source where it was asked for, as `digestOfSource` says it
   */
  abstract mayNotifyAccounts(
    tx: Tx,
    canonicalAddress: string,
    userIds: readonly UserId[],
    source: Buffer,
  ): Promise<boolean>;
}
