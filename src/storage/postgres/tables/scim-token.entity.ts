import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, ProjectId, ScimTokenId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';
import { ProjectEntity } from './project.entity.js';

/** A bearer token with which a directory provisions users of one organization by SCIM; only its SHA-256 is stored. */
@Entity('scim_tokens')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'scim_tokens_org' })
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], {
  name: 'scim_tokens_project',
  onDelete: 'SET NULL',
})
@Unique('scim_tokens_hash', ['tokenHash'])
@Index('scim_tokens_of_org', ['orgId'])
@Check('scim_tokens_name', 'char_length(name) BETWEEN 1 AND 200')
export class ScimTokenEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'scim_tokens_pkey', default: () => 'new_id()' })
  id!: ScimTokenId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  name!: string;

  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** The project whose roles are its groups. */
  @Column('text', { name: 'project_id', nullable: true })
  projectId!: ProjectId | null;

  @Column('boolean', { name: 'trusts_emails', default: false })
  trustsEmails!: boolean;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** Updated once a minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
