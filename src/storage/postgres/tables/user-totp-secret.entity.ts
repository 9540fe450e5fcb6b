import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { DataKeyEntity } from './data-key.entity.js';
import { UserEntity } from './user.entity.js';

/** The TOTP secret of a user's authenticator app; while there is a row, its codes are asked for. */
@Entity('user_totp_secrets')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_totp_secrets_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'user_totp_secrets_data_key' })
export class UserTotpSecretEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_totp_secrets_pkey' })
  userId!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  /** Base32, or the address of a seed that is not of the usual kind (domain/factors/totp/totp-seed.ts). */
  @Column('bytea', { name: 'secret_sealed' })
  secretSealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  /** The latest time step whose code was used; codes of it and of earlier steps are no longer accepted. */
  @Column('bigint', { name: 'last_step', nullable: true })
  lastStep!: string | null;
}
