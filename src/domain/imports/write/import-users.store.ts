import type { AuditEvent } from '../../events/events.store.js';
import type { RecordRecoveryCode } from '../../factors/recovery-codes/recovery-code-hash.js';
import type { HeldRole } from '../../permissions/rank.js';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import type { IdentityProviderId, ImportJobId, OrgId, ProviderId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { DomainOwner } from '../../users/names/user-name.js';
import type { HumanUser, ServiceUser, User, UserState } from '../../users/user.js';
import type { HandedOutPurpose, VerificationPurpose } from '../../users/verification/verification-code.js';
import type { ImportedIdentity } from '../records/imported-identities.js';
import type { ImportedPasskey } from '../records/imported-passkeys.js';

/** A password as it is stored. */
export interface StoredPassword {
  readonly hash: string;
  readonly scheme: string;
  readonly weak: boolean;
  readonly changeRequired: boolean;
}

/** An identity of a provider that is there. */
export interface IdentityToAdd extends ImportedIdentity {
  /** Otherwise of the user's organization. */
  readonly ofInstance: boolean;
}

export interface UserCredentials {
  readonly metadata: readonly { readonly key: string; readonly value: Buffer }[];
  readonly password?: StoredPassword | undefined;
  readonly totpSecret?: string | undefined;
  /** Empty for none. */
  readonly recoveryCodes?: readonly RecordRecoveryCode[] | undefined;
  /** Empty for none. */
  readonly codeFactors?: readonly CodeFactorKind[] | undefined;
  /** Of this relying party; empty for none. */
  readonly passkeys?: readonly ImportedPasskey[] | undefined;
  /** Empty for none. */
  readonly identities?: readonly IdentityToAdd[] | undefined;
}

export interface UserToAdd extends UserCredentials {
  /** SHA-256 of the client secret of a service user. */
  readonly secretHash?: Buffer | undefined;
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly state: UserState;
  readonly createdAt: Date | undefined;
  readonly is: HumanUser | ServiceUser;
  readonly canonicalUserName: string;
  /** Of a verified address. */
  readonly canonicalEmail: string | undefined;
}

/** A held user as they are afterwards. */
export interface UserToChange extends UserCredentials {
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly canonicalUserName: string;
  readonly state: UserState;
  /** What was issued to the user before ends. */
  readonly endsTokens: boolean;
  readonly is: HumanUser | ServiceUser;
  readonly canonicalEmail: string | undefined;
}

/** A message with a code. */
export type MessageToEnqueue = MailToEnqueue | SmsToEnqueue;

interface AnyMessageToEnqueue {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly target: string;
}

export interface MailToEnqueue extends AnyMessageToEnqueue {
  readonly purpose: Exclude<VerificationPurpose, 'reset_password' | 'verify_phone' | HandedOutPurpose>;
}

export interface SmsToEnqueue extends AnyMessageToEnqueue {
  readonly purpose: 'verify_phone';
  /** Who makes the code, if not we. */
  readonly providerId?: ProviderId | undefined;
}

export function isSms(message: MessageToEnqueue): message is SmsToEnqueue {
  return message.purpose === 'verify_phone';
}

/** A notice to a user about a change, without a code or a link. */
export type NoticeToEnqueue = { readonly orgId: OrgId; readonly userId: UserId } & (
  | { readonly template: 'password_changed' | 'passkey_added' | 'phone_changed' }
  /** Sent to the previous address. */
  | { readonly template: 'email_changed'; readonly address: string }
);

export interface UsersToWrite {
  readonly adds: readonly UserToAdd[];
  readonly changes: readonly UserToChange[];
  readonly messages: readonly MailToEnqueue[];
  readonly notices: readonly NoticeToEnqueue[];
  readonly events: readonly AuditEvent[];
  /** The transaction's. */
  readonly now: Date;
  /** Who answers for the passwords, secrets, passkeys and identities that come along (`RequireRank.answersFor`), if anybody does. */
  readonly madeBy: UserId | undefined;
}

export type WriteResult =
  | 'written'
  /** Somebody else has one of the names or ids: nothing was written. */
  | 'taken'
  /** The database refuses one of the records: nothing was written. */
  | 'refused'
  /** These would have more metadata than a user can have: nothing was written. */
  | { readonly full: ReadonlySet<string> };

export interface NameInOrg {
  readonly orgId: OrgId;
  readonly canonical: string;
}

/** Who has what already. Keys of names: organization and canonical form, with a control character between them. */
export interface KnownUsers {
  /** Deleted ones, too: nobody gets their ids; nor those of something else, such as a project. */
  readonly byId: ReadonlyMap<string, { readonly orgId: OrgId; readonly is: 'user' | 'deleted' | 'other' }>;
  readonly byUserName: ReadonlyMap<string, UserId>;
  readonly byEmail: ReadonlyMap<string, UserId>;
  /** Wherever its user is: a credential is of one user in the whole instance. By `passkeyKey`. */
  readonly byPasskey: ReadonlyMap<string, UserId>;
  /** Wherever its user is: a subject of a provider is one user. By `identityKey`. */
  readonly byIdentity: ReadonlyMap<string, UserId>;
}

export function nameKey(orgId: string, canonical: string): string {
  return `${orgId}\u0001${canonical}`;
}

/** A user that the transaction has locked, and what decides about changing them. */
export interface UserBefore {
  readonly user: User;
  readonly hasPassword: boolean;
  readonly hasTotpSecret: boolean;
  /** Used ones among them. */
  readonly hasRecoveryCodes: boolean;
  readonly codeFactors: readonly CodeFactorKind[];
  /** By `passkeyKey`, and whether each signs in without a password. */
  readonly passkeys: ReadonlyMap<string, boolean>;
  /** By `identityKey`. */
  readonly identities: ReadonlySet<string>;
  /** SHA-256 of each value, in hexadecimal. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly roles: readonly HeldRole[];
}

/** An entry that stands beside the users of a file. */
export interface MetadataToSet {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly key: string;
  readonly value: Buffer;
}

export interface Preparation {
  readonly ids: readonly UserId[];
  readonly domainOwners: ReadonlyMap<string, DomainOwner>;
  /** Those asked for that are there and not removed. */
  readonly organizations: ReadonlySet<string>;
  /** Of those asked for, the ones that are there. */
  readonly providers: ReadonlyMap<IdentityProviderId, ProviderOfImport>;
}

export interface ProviderOfImport {
  /** Null for one of the instance. */
  readonly orgId: OrgId | null;
  /** The form in which a subject of it is kept. */
  keptSubject(subject: string): string;
}

/** Set-based: a statement for each table, never one for each user. */
export abstract class ImportUsersStore {
  abstract prepare(wanted: {
    readonly newIds: number;
    readonly domains: readonly string[];
    readonly orgIds: readonly OrgId[];
    readonly providerIds: readonly IdentityProviderId[];
  }): Promise<Preparation>;

  abstract find(
    tx: Tx | undefined,
    wanted: {
      readonly ids: readonly string[];
      readonly userNames: readonly NameInOrg[];
      readonly emails: readonly NameInOrg[];
      readonly passkeys: readonly ImportedPasskey[];
      readonly identities: readonly ImportedIdentity[];
    },
  ): Promise<KnownUsers>;

  /** In the order of their ids, so that two imports cannot wait for each other. */
  abstract lockUsersForUpdate(tx: Tx, ids: readonly UserId[]): Promise<ReadonlyMap<UserId, UserBefore>>;

  /**
   * Notes what the records of a file call their users by.
   * @returns for each key, whether it is the first of its job
   */
  abstract noteNames(tx: Tx, jobId: ImportJobId, keys: readonly string[]): Promise<readonly boolean[]>;

  /** Of users that a dry run would have written. */
  abstract noteTriedIds(tx: Tx, jobId: ImportJobId, ids: readonly string[]): Promise<void>;

  /** Of these ids, those that the dry run would have written so far. */
  abstract triedIds(tx: Tx, jobId: ImportJobId, ids: readonly string[]): Promise<ReadonlySet<string>>;

  /** Sets them, whatever was there before. */
  abstract setMetadata(tx: Tx, entries: readonly MetadataToSet[], now: Date): Promise<void>;

  /** Of these, who has more than a user can have (accounts/change-user-metadata.ts). */
  abstract withTooMuchMetadata(tx: Tx, ids: readonly UserId[]): Promise<readonly UserId[]>;

  /** Writes all or, on failure, nothing; the transaction stays usable either way. */
  abstract write(tx: Tx, users: UsersToWrite): Promise<WriteResult>;

  /** What follows can be taken back by `takeBack`. */
  abstract beginTrial(tx: Tx): Promise<void>;

  abstract takeBack(tx: Tx): Promise<void>;

  /** Of these, who has a session or a grant: for whom something has to end. */
  abstract withSessions(tx: Tx, ids: readonly UserId[]): Promise<readonly UserId[]>;

  /**
   * Removes those that nobody has touched since: no sign-in, no change, no rights, no credential of their own. Their
   * ids are free again, for they have never stood for anybody.
   *
   * @param users with the sequence that the import left them
   * @returns who is gone
   */
  abstract removeUntouched(
    tx: Tx,
    users: readonly { readonly id: UserId; readonly sequence: number }[],
  ): Promise<readonly { readonly id: UserId; readonly orgId: OrgId; readonly sequence: string }[]>;

  /** Of these users, the messages that are due: who has to set a password or to verify an address or number. */
  abstract dueMessages(tx: Tx, ids: readonly UserId[]): Promise<readonly MessageToEnqueue[]>;

  /** Enqueues the messages, on the bulk lane, in place of codes that live. */
  abstract enqueueMessages(tx: Tx, messages: readonly MessageToEnqueue[], now: Date): Promise<void>;
}
