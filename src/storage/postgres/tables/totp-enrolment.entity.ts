import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { DataKeyEntity } from './data-key.entity.js';
import { UserEntity } from './user.entity.js';

/** A TOTP secret that a user is about to add to their authenticator app; no code of it is asked for yet. */
@Entity('totp_enrolments')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'totp_enrolments_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'totp_enrolments_data_key' })
@Index('totp_enrolments_expiry', ['expiresAt'])
export class TotpEnrolmentEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'totp_enrolments_pkey' })
  userId!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  /** The session in which it began. */
  @Column('text', { name: 'bound_to' })
  boundTo!: string;

  @Column('bytea', { name: 'secret_sealed' })
  secretSealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
