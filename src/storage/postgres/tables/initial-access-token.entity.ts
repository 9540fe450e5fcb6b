import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { InitialAccessTokenId, OrgId, ProjectId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { ProjectEntity } from './project.entity.js';

/** An initial access token, with which clients register themselves in a project (RFC 7591 §3.1); only its SHA-256 is stored. */
@Entity('initial_access_tokens')
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], {
  name: 'initial_access_tokens_project',
  onDelete: 'CASCADE',
})
@Unique('initial_access_tokens_hash', ['tokenHash'])
@Index('initial_access_tokens_of_org', ['orgId', 'projectId'])
@Check('initial_access_tokens_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('initial_access_tokens_uses', 'uses BETWEEN 0 AND most_uses')
export class InitialAccessTokenEntity extends CountedChanges {
  @PrimaryColumn('text', {
    primaryKeyConstraintName: 'initial_access_tokens_pkey',
    default: () => 'new_id()',
  })
  id!: InitialAccessTokenId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('integer', { name: 'most_uses' })
  mostUses!: number;

  @Column('integer', { default: 0 })
  uses!: number;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}
