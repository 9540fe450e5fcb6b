import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationState } from '../../../domain/organizations/organizations.store.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';

/** A tenant: nearly every other row belongs to one. */
@Entity('organizations')
// on an expression, which an entity cannot name (migrations/1796800000000)
@Index('organizations_by_name', { synchronize: false })
@Index('organizations_by_age', ['createdAt', 'id'], { where: "state <> 'removed'" })
@Check('organizations_state', "state IN ('active', 'inactive', 'removed')")
@Check('organizations_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('organizations_erased', "erased_at IS NULL OR state = 'removed'")
@Check('organizations_id', "octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]'")
export class OrganizationEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'organizations_pkey', default: () => 'new_id()' })
  id!: OrgId;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  state!: OrganizationState | 'removed';

  /** When everything of a removed organization was deleted but this row and ids. */
  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt!: Date | null;

  @Column('integer', { name: 'token_epoch', default: 0 })
  tokenEpoch!: number;
}

/** A domain that an organization has added. Several may add the same one, but only one can verify it. */
@Entity('organization_domains')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'organization_domains_org',
  onDelete: 'CASCADE',
})
@Index('organization_domains_verified', ['domain'], { unique: true, where: 'is_verified' })
@Index('organization_domains_one_primary', ['orgId'], { unique: true, where: 'is_primary' })
@Check('organization_domains_domain', 'domain = lower(domain) AND char_length(domain) BETWEEN 1 AND 253')
@Check('organization_domains_primary', 'is_verified OR NOT is_primary')
export class OrganizationDomainEntity {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'organization_domains_pkey' })
  orgId!: OrgId;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'organization_domains_pkey' })
  domain!: string;

  @Column('boolean', { name: 'is_verified', default: false })
  verified!: boolean;

  @Column('boolean', { name: 'is_primary', default: false })
  primary!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  /** The content of the DNS TXT record that verifies the domain; public, so not a secret. Null if no verification is needed. */
  @Column('text', { name: 'validation_token', nullable: true })
  token!: string | null;

  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
