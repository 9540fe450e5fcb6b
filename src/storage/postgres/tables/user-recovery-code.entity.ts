import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { UserEntity } from './user.entity.js';

/** A single-use recovery code for a lost factor: an HMAC of ours, or a hash of another product. */
@Entity('user_recovery_codes')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_recovery_codes_user',
  onDelete: 'CASCADE',
})
@Check('user_recovery_codes_hash', 'char_length(hash) BETWEEN 1 AND 500')
export class UserRecoveryCodeEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_recovery_codes_pkey' })
  userId!: UserId;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_recovery_codes_pkey' })
  hash!: string;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}
