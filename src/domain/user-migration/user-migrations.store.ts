import type { Expiring, ExpiringRows } from '../identity-providers/warn-of-expiry.js';
import type { AttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  ActiveMigration,
  MigrationOutcome,
  UserMigrationPlan,
  UserMigrationRecord,
} from './user-migration.js';

/** A user who has not been migrated yet. */
export interface UnmigratedUser {
  /** As their organization decided, where it has. */
  readonly attemptPolicy?: AttemptPolicy | undefined;
}

/** Of a user who is being migrated, in the transaction that creates them. */
export interface MigrationContext {
  readonly tx?: Tx;
  readonly userId?: UserId;
  /** What a directory knows the entry by. */
  readonly entryHash?: Buffer | undefined;
}

/** Just-in-time migrations of organizations, and which of their users have been migrated or were here before. */
export abstract class UserMigrationsStore implements ExpiringRows {
  abstract find(orgId: OrgId): Promise<UserMigrationRecord | undefined>;

  /** Locked until the transaction ends. */
  abstract lockForUpdate(tx: Tx, orgId: OrgId): Promise<UserMigrationRecord | undefined>;

  /** @throws ApiError aborted when another call is just adding one */
  abstract add(tx: Tx, orgId: OrgId, plan: UserMigrationPlan, secret: string): Promise<ResourceDetails>;

  /** Of one that is locked. @param secret undefined leaves it as it is */
  abstract replace(
    tx: Tx,
    orgId: OrgId,
    plan: UserMigrationPlan,
    secret: string | undefined,
  ): Promise<ResourceDetails>;

  /** With its progress, and all records of migrated users. */
  abstract remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined>;

  /**
   * Of these settings and no others: processes know settings for some seconds, and a new secret must not go where the old one went.
   *
   * @returns undefined where they have been changed since
   */
  abstract openSecret(migration: Pick<ActiveMigration, 'orgId' | 'version'>): Promise<string | undefined>;

  /** Those that are switched on and not over, of organizations that are active. */
  abstract listActive(): Promise<readonly ActiveMigration[]>;

  /**
   * Whether this user of the organization has not been migrated yet: a human who can be signed in and has no password, no passkey and
   * no identity elsewhere, and no role outside the organization, since its owners, who run the old system, must not get access
   * elsewhere by it. Undefined too once the migration is over, whatever a process remembers of it.
   */
  abstract findUnmigrated(orgId: OrgId, userId: UserId, tx?: Tx): Promise<UnmigratedUser | undefined>;

  /**
   * Whether it is asked about names of that domain: not once it is over, whatever a process remembers of it, and not where the
   * domain is another organization's, whoever has the name here.
   */
  abstract isOpenFor(orgId: OrgId, domain: string | null): Promise<boolean>;

  /**
   * Records that a directory entry was migrated as that user. One statement: of two names of one entry, one creates a
   * user, however many sign in at once. Of a user who is deleted it is remembered as their names are (`wereHere`).
   *
   * @returns false for an entry that belongs to another user here
   */
  abstract claimEntry(tx: Tx, orgId: OrgId, userId: UserId, entryHash: Buffer): Promise<boolean>;

  /**
   * Whether one of these names was migrated before, or belonged to a user who was deleted or renamed since the migration was set up:
   * no user has it, and the old system must not be queried about it. Neither about one that ends with a former domain of login names
   * if its first part is, or was, a user name.
   */
  abstract wereHere(orgId: OrgId, names: readonly string[], by?: MigrationContext): Promise<boolean>;

  /** Remembers them, by a keyed hash each, until the migration is removed or has been over for 30 days. */
  abstract rememberNames(tx: Tx, orgId: OrgId, names: readonly string[]): Promise<void>;

  /** Of migrations that are on, and still on at that time. */
  abstract markExpiring(tx: Tx, withinDays: number, limit: number): Promise<readonly Expiring[]>;

  abstract countExpiring(withinDays: number): Promise<number>;

  /** One statement of its own, or the last one of the transaction that brings a user over. */
  abstract count(orgId: OrgId, outcome: MigrationOutcome, tx?: Tx): Promise<void>;
}
