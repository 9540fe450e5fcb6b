import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, PersonalAccessTokenId, UserId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** A long-lived bearer token of a service user. Only its SHA-256 is here. */
@Entity('personal_access_tokens')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'personal_access_tokens_user',
  onDelete: 'CASCADE',
})
@Unique('personal_access_tokens_hash', ['tokenHash'])
@Index('personal_access_tokens_by_user', ['orgId', 'userId'])
export class PersonalAccessTokenEntity extends CountedChanges {
  @PrimaryColumn('text', {
    primaryKeyConstraintName: 'personal_access_tokens_pkey',
    default: () => 'new_id()',
  })
  id!: PersonalAccessTokenId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** Empty for whoever runs the service, null where nobody knows. */
  @Column('text', { name: 'made_by', nullable: true })
  madeBy!: UserId | '' | null;
}
