import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { MigrationKind } from '../../../domain/user-migration/user-migration.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';
import { UserEntity } from './user.entity.js';

/** The old system that users of an organization are migrated from, and the progress. */
@Entity('user_migrations')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'user_migrations_org',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'user_migrations_data_key' })
@Index('user_migrations_active', ['endsAt'], { where: 'is_active' })
@Index('user_migrations_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Check('user_migrations_kind', 'char_length(kind) BETWEEN 1 AND 40')
@Check('user_migrations_settings', "jsonb_typeof(settings) = 'object'")
@Check('user_migrations_expected', 'expected_users >= 0')
@Check('user_migrations_limits', 'requests_per_minute > 0 AND deadline_ms > 0')
@Check('user_migrations_sealed', '(secret_sealed IS NULL) = (data_key_id IS NULL)')
export class UserMigrationEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'user_migrations_pkey' })
  orgId!: OrgId;

  @Column('text')
  kind!: MigrationKind;

  @Column('jsonb')
  settings!: object;

  @Column('boolean', { name: 'is_active' })
  isActive!: boolean;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;

  @Column('integer', { name: 'expected_users', nullable: true })
  expectedUsers!: number | null;

  @Column('integer', { name: 'requests_per_minute' })
  requestsPerMinute!: number;

  @Column('integer', { name: 'deadline_ms' })
  deadlineMs!: number;

  @Column('bytea', { name: 'secret_sealed', nullable: true })
  secretSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  /** When the password or the first certificate of a directory is no longer good. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** The expiry that was announced. */
  @Column('timestamptz', { name: 'warned_of', nullable: true })
  warnedOf!: Date | null;

  @Column('bigint', { default: 0 })
  asked!: string;

  @Column('bigint', { default: 0 })
  migrated!: string;

  @Column('bigint', { default: 0 })
  refused!: string;

  @Column('bigint', { default: 0 })
  failed!: string;
}

/**
 * Names that the old system must not be queried about again: migrated ones, and those of users who were deleted or renamed meanwhile.
 * Deleted with the migration, or 30 days after its end.
 */
@Entity('user_migration_names')
@ForeignKey(() => UserMigrationEntity, ['orgId'], ['orgId'], {
  name: 'user_migration_names_migration',
  onDelete: 'CASCADE',
})
@Check('user_migration_names_hash', 'octet_length(name_hash) = 32')
export class UserMigrationNameEntity {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'user_migration_names_pkey' })
  orgId!: OrgId;

  /** A keyed hash of a name, of a directory entry's subject, or of `@` and a former domain of login names: it does not reveal whose. */
  @PrimaryColumn('bytea', { name: 'name_hash', primaryKeyConstraintName: 'user_migration_names_pkey' })
  nameHash!: Buffer;
}

/** A migrated directory entry, so that another of its names creates no second user. Deleted as names are. */
@Entity('user_migration_entries')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_migration_entries_user',
  onDelete: 'CASCADE',
})
@Index('user_migration_entries_by_user', ['orgId', 'userId'])
@Check('user_migration_entries_hash', 'octet_length(entry_hash) = 32')
export class UserMigrationEntryEntity {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'user_migration_entries_pkey' })
  orgId!: OrgId;

  /** A keyed hash of the directory and of what it knows the entry by for good. */
  @PrimaryColumn('bytea', { name: 'entry_hash', primaryKeyConstraintName: 'user_migration_entries_pkey' })
  entryHash!: Buffer;

  @Column('text', { name: 'user_id' })
  userId!: UserId;
}
