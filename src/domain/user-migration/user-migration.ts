import type { ClaimMapping } from '../identity-providers/claim-mapping.js';
import type { LdapSettings } from '../identity-providers/ldap/ldap-kind.js';
import { expiryOf } from '../identity-providers/ldap/ldap-rules.js';
import type { AttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';

/**
 * The user-migration module: users of an old system are migrated at their first sign-in. While an organization's migration is
 * active, the old system is queried once when somebody signs in with a name that no user here has, or whose user has no password
 * yet. If it accepts, the user is created from its answer, or gets the typed password, and it is not queried again.
 *
 * It is limited in time by `endsAt`, so that it cannot stay on by oversight.
 */
export const MIGRATION_KINDS = ['webhook', 'ldap'] as const;
export type MigrationKind = (typeof MIGRATION_KINDS)[number];

/** A server that is asked by a signed POST. */
interface WebhookSettings {
  readonly url: string;
}

/** A directory. Its time limit is `deadlineMs` of the migration; migrated users get no identity at it. */
export interface DirectorySettings extends Omit<LdapSettings, 'timeoutMs'> {
  readonly mapping: ClaimMapping;
}

/** Where the old system is. */
type OldSystemAddress =
  | { readonly kind: 'webhook'; readonly settings: WebhookSettings }
  | { readonly kind: 'ldap'; readonly settings: DirectorySettings };

interface MigrationTerms {
  readonly isActive: boolean;
  readonly endsAt: Date;
  /** How many users are expected, for the progress; null if unknown. */
  readonly expectedUsers: number | null;
  /** How often the old system is asked at most. */
  readonly requestsPerMinute: number;
  /** How long an answer may take. Every refused sign-in of the organization takes longer than that (sign-in/sign-in.ts). */
  readonly deadlineMs: number;
}

/** What a migration is to be. */
export type UserMigrationPlan = MigrationTerms & OldSystemAddress;

/** When it cannot be asked any more, as far as that is known. A webhook's certificate is renewed by whoever runs it. */
export function expiryOfOldSystem(address: OldSystemAddress): Date | undefined {
  return address.kind === 'ldap' ? expiryOf(address.settings) : undefined;
}

/** The outcome of a query. */
export type MigrationOutcome = 'migrated' | 'refused' | 'failed';

/** How far it is. */
interface MigrationProgress {
  /** Times that the old system was asked. */
  readonly asked: number;
  /** Migrated users: created, or given the password that they had there. */
  readonly migrated: number;
  /** Times that it did not know the name, or not with that password. */
  readonly refused: number;
  /** Times that it did not answer, or not as it must. */
  readonly failed: number;
}

export interface UserMigrationRecord {
  readonly plan: UserMigrationPlan;
  readonly progress: MigrationProgress;
  readonly details: ResourceDetails;
}

/** A migration as sign-ins know it. */
export type ActiveMigration = Omit<MigrationTerms, 'isActive' | 'expectedUsers'> &
  OldSystemAddress & {
    readonly orgId: OrgId;
    /** Grows with each change. */
    readonly version: string;
    /** Of the organization, verified ones and the primary one, in ASCII. */
    readonly domains: readonly string[];
    readonly primaryDomain: string | null;
    /** Where the organization has decided how guesses are counted. */
    readonly attemptPolicy: AttemptPolicy | null;
    /** Our own pages, which no application asked for, sign people in to this organization. */
    readonly isDefault: boolean;
  };

export const LONGEST_MIGRATION_DAYS = 366;
