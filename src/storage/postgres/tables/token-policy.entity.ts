import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** How long tokens live that the applications of an organization get; null is the configured time. */
@Entity('token_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'token_policies_org', onDelete: 'CASCADE' })
@Check('token_policies_access_token', 'access_token_seconds BETWEEN 60 AND 86400')
@Check('token_policies_id_token', 'id_token_seconds BETWEEN 60 AND 86400')
@Check('token_policies_refresh_idle', 'refresh_idle_seconds BETWEEN 300 AND 31536000')
@Check('token_policies_refresh_absolute', 'refresh_absolute_seconds BETWEEN 300 AND 31536000')
export class TokenPolicyEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'token_policies_pkey' })
  orgId!: OrgId;

  @Column('integer', { name: 'access_token_seconds', nullable: true })
  accessTokenSeconds!: number | null;

  @Column('integer', { name: 'id_token_seconds', nullable: true })
  idTokenSeconds!: number | null;

  @Column('integer', { name: 'refresh_idle_seconds', nullable: true })
  refreshIdleSeconds!: number | null;

  @Column('integer', { name: 'refresh_absolute_seconds', nullable: true })
  refreshAbsoluteSeconds!: number | null;

  /** False once it was reset: the row then holds the defaults. */
  @Column('boolean', { name: 'is_set', default: true })
  isSet!: boolean;
}
