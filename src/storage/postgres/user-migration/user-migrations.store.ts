// SQL by hand for sign-ins: one statement reads all active migrations, and one tells whether somebody was migrated before
import { Injectable } from '@nestjs/common';
import type { AttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import {
  expiryOfOldSystem,
  type ActiveMigration,
  type MigrationOutcome,
  type UserMigrationPlan,
  type UserMigrationRecord,
} from '../../../domain/user-migration/user-migration.js';
import {
  UserMigrationsStore,
  type MigrationContext,
  type UnmigratedUser,
} from '../../../domain/user-migration/user-migrations.store.js';
import { domainInAscii, partsOfName } from '../../../domain/users/names/user-name.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import { ExpiringTable } from '../expiring-table.js';
import { oneOf } from '../one-of.js';
import { ATTEMPT_POLICY_COLUMN } from '../passwords/attempt-statements.js';
import { changedSecret, openSecret, sealSecret } from '../secrets/secret-columns.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, CountedTable, detailsOf, detailsOfNew, pick, raised, SET_ANEW, Table } from '../table.js';
import { UserMigrationEntity, UserMigrationEntryEntity } from '../tables/user-migration.entity.js';
import { migrationNameHash, rememberHashes } from './former-names.js';

const PLAN = [
  'kind',
  'settings',
  'isActive',
  'endsAt',
  'expectedUsers',
  'requestsPerMinute',
  'deadlineMs',
] as const satisfies readonly (keyof UserMigrationPlan & keyof UserMigrationEntity)[];
const ASKED = ['orgId', 'kind', 'settings', 'endsAt', 'requestsPerMinute', 'deadlineMs'] as const;

const IS_ON = `m.is_active AND m.ends_at > app_now()`;

const LIST_ACTIVE = {
  name: 'user-migrations-list-active',
  text: `
    SELECT ${columns(UserMigrationEntity, 'm', ASKED)}, m.sequence::text AS version,
      ARRAY(SELECT d.domain FROM organization_domains d
            WHERE d.org_id = m.org_id AND (d.is_verified OR d.is_primary)) AS domains,
      (SELECT d.domain FROM organization_domains d WHERE d.org_id = m.org_id AND d.is_primary) AS "primaryDomain",
      m.org_id = (SELECT default_org_id FROM instance) AS "isDefault", ${ATTEMPT_POLICY_COLUMN}
    FROM user_migrations m JOIN organizations o ON o.id = m.org_id AND o.state = 'active'
    LEFT JOIN lockout_policies l ON l.org_id = m.org_id
    WHERE ${IS_ON}`,
};

const FIND_UNMIGRATED = {
  name: 'user-migrations-find-unmigrated',
  text: `
    SELECT ${ATTEMPT_POLICY_COLUMN}
    FROM user_migrations m
    JOIN users u ON u.org_id = m.org_id AND u.id = $2 AND u.kind = 'human' AND u.state ${oneOf(USABLE_STATES)}
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    LEFT JOIN lockout_policies l ON l.org_id = u.org_id
    WHERE m.org_id = $1 AND ${IS_ON}
      AND NOT EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id)
      AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id)
      AND NOT EXISTS (SELECT FROM user_identities i WHERE i.org_id = u.org_id AND i.user_id = u.id)
      AND NOT EXISTS (SELECT FROM memberships r WHERE r.user_id = u.id AND r.org_id IS DISTINCT FROM u.org_id)`,
};

const IS_OPEN_FOR = {
  name: 'user-migrations-is-open-for',
  text: `
    SELECT FROM user_migrations m
    WHERE m.org_id = $1 AND ${IS_ON}
      AND NOT EXISTS (SELECT FROM organization_domains d
                      WHERE d.domain = $2 AND d.org_id <> m.org_id AND (d.is_verified OR d.is_primary))`,
};

const CLAIM_ENTRY = {
  name: 'user-migrations-claim-entry',
  text: `
    INSERT INTO user_migration_entries AS e (org_id, entry_hash, user_id) VALUES ($1, $2, $3)
    ON CONFLICT (org_id, entry_hash) DO UPDATE SET user_id = excluded.user_id WHERE e.user_id = excluded.user_id`,
};

const WERE_HERE = {
  name: 'user-migrations-were-here',
  // $3 to $5: of each name that ends with a domain what that is remembered by, and what stands before it. Where login names ended with
  // the domain, it is what somebody was called who has that name, with or without the domain of now, or had it
  text: `
    SELECT FROM user_migration_names WHERE org_id = $1 AND name_hash = ANY ($2::bytea[])
    UNION ALL
    SELECT FROM unnest($3::bytea[], $4::text[], $5::bytea[]) AS asked (domain_hash, local, local_hash)
    JOIN user_migration_names f ON f.org_id = $1 AND f.name_hash = asked.domain_hash
    WHERE EXISTS (SELECT FROM user_migration_names n WHERE n.org_id = $1 AND n.name_hash = asked.local_hash)
      OR EXISTS (
        SELECT FROM login_identifiers i
        WHERE i.org_id = $1 AND i.kind = 'user_name' AND i.user_id IS DISTINCT FROM $6 AND i.canonical IN (asked.local, (
          SELECT left(asked.local, -1 - length(d.domain)) FROM organization_domains d
          WHERE d.org_id = $1 AND d.is_primary AND right(asked.local, length(d.domain) + 1) = '@' || d.domain)))`,
};

@Injectable()
export class PgUserMigrationsStore extends UserMigrationsStore {
  private readonly rows: CountedTable<UserMigrationEntity>;
  private readonly entries: Table<UserMigrationEntryEntity>;
  private readonly expiring: ExpiringTable;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new CountedTable(sql, UserMigrationEntity);
    this.entries = new Table(sql, UserMigrationEntryEntity);
    this.expiring = new ExpiringTable(sql, {
      table: 'user_migrations',
      key: 'org_id',
      // one that is over before needs nothing renewed
      isUsed: `r.is_active AND r.ends_at > app_now() AND r.ends_at > r.expires_at
        AND EXISTS (SELECT FROM organizations o WHERE o.id = r.org_id AND o.state = 'active')`,
    });
  }

  override async find(orgId: OrgId): Promise<UserMigrationRecord | undefined> {
    const row = await this.rows.find({ orgId });
    return row && recordOf(row);
  }

  override async lockForUpdate(tx: Tx, orgId: OrgId): Promise<UserMigrationRecord | undefined> {
    const row = await this.rows.find({ orgId }, tx, 'lock');
    return row && recordOf(row);
  }

  override async add(
    tx: Tx,
    orgId: OrgId,
    plan: UserMigrationPlan,
    secret: string,
  ): Promise<ResourceDetails> {
    const sealed = sealSecret(this.sealer, placeOf(orgId), secret);
    const values = { orgId, sequence: () => SET_ANEW, ...planned(plan), ...sealed };
    const row = await mapUniqueViolations(this.rows.add(tx, values), {
      user_migrations_pkey: () => new ApiError('aborted', 'another request sets the migration up just now'),
    });
    return detailsOfNew(row);
  }

  override async replace(
    tx: Tx,
    orgId: OrgId,
    plan: UserMigrationPlan,
    secret: string | undefined,
  ): Promise<ResourceDetails> {
    const change = secret === undefined ? 'keep' : { set: secret };
    const values = { ...planned(plan), ...changedSecret(this.sealer, placeOf(orgId), change) };
    const details = await this.rows.changeOne(tx, { orgId }, values);
    if (details === undefined) throw new Error('a migration was changed that nobody has locked');
    return details;
  }

  override async remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined> {
    // lock order of migrating and erasing users: the migration, then entries, which depend on users; names depend on the migration
    await this.rows.find({ orgId }, tx, 'exclusive');
    await this.entries.removeAll(tx, { orgId });
    return await this.rows.removeOne(tx, { orgId });
  }

  override async openSecret({
    orgId,
    version,
  }: Pick<ActiveMigration, 'orgId' | 'version'>): Promise<string | undefined> {
    const row = await this.rows.find({ orgId });
    if (row === undefined || row.sequence !== version) return undefined;
    return await openSecret(this.sealer, placeOf(orgId), row);
  }

  override async listActive(): Promise<readonly ActiveMigration[]> {
    // kind and settings were written together, from one record
    return await this.sql.rows<ActiveMigration & Record<string, unknown>>(LIST_ACTIVE, []);
  }

  override async findUnmigrated(orgId: OrgId, userId: UserId, tx?: Tx): Promise<UnmigratedUser | undefined> {
    const row = await this.sql.row<{ attemptPolicy: AttemptPolicy | null }>(
      FIND_UNMIGRATED,
      [orgId, userId],
      tx,
    );
    return row && { attemptPolicy: row.attemptPolicy ?? undefined };
  }

  override async isOpenFor(orgId: OrgId, domain: string | null): Promise<boolean> {
    return (await this.sql.row(IS_OPEN_FOR, [orgId, domain])) !== undefined;
  }

  override async claimEntry(tx: Tx, orgId: OrgId, userId: UserId, entryHash: Buffer): Promise<boolean> {
    return (await this.sql.change(CLAIM_ENTRY, [orgId, entryHash, userId], tx)) === 1;
  }

  override async count(orgId: OrgId, outcome: MigrationOutcome, tx?: Tx): Promise<void> {
    const one = (count: 'asked' | MigrationOutcome) => raised(UserMigrationEntity, count);
    // `sequence` is not raised: the settings do not change
    await this.rows.changeAll(tx, { orgId }, { asked: one('asked'), [outcome]: one(outcome) });
  }

  override async wereHere(
    orgId: OrgId,
    names: readonly string[],
    { tx, userId, entryHash }: MigrationContext = {},
  ): Promise<boolean> {
    const hashes = this.hashesOf(orgId, names);
    if (entryHash !== undefined) hashes.push(entryHash);
    const parts = names.flatMap((name) => partsOfName(name) ?? []);
    const values = [
      parts.map(({ domain }) => migrationNameHash(this.sealer, orgId, `@${domainInAscii(domain)}`)),
      parts.map(({ local }) => local),
      parts.map(({ local }) => migrationNameHash(this.sealer, orgId, local)),
    ];
    return (await this.sql.row(WERE_HERE, [orgId, hashes, ...values, userId ?? null], tx)) !== undefined;
  }

  override async rememberNames(tx: Tx, orgId: OrgId, names: readonly string[]): Promise<void> {
    await rememberHashes(this.sql, tx, orgId, this.hashesOf(orgId, names));
  }

  private hashesOf(orgId: OrgId, names: readonly string[]): Buffer[] {
    return [...new Set(names)].map((name) => migrationNameHash(this.sealer, orgId, name));
  }

  override async markExpiring(tx: Tx, withinDays: number, limit: number) {
    return await this.expiring.markExpiring(tx, withinDays, limit);
  }

  override async countExpiring(withinDays: number): Promise<number> {
    return await this.expiring.countExpiring(withinDays);
  }
}

function planned(plan: UserMigrationPlan) {
  return { ...pick(plan, PLAN), expiresAt: expiryOfOldSystem(plan) ?? null };
}

function placeOf(orgId: OrgId): SealedPlace {
  return {
    purpose: 'user-migration-secret',
    table: 'user_migrations',
    column: 'secret_sealed',
    rowId: orgId,
  };
}

function recordOf(row: UserMigrationEntity): UserMigrationRecord {
  const { asked, migrated, refused, failed } = row;
  return {
    // kind and settings were written together, from one record
    plan: pick(row, PLAN) as UserMigrationPlan,
    progress: {
      asked: Number(asked),
      migrated: Number(migrated),
      refused: Number(refused),
      failed: Number(failed),
    },
    details: detailsOf(row),
  };
}
