import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PolledDevice } from '../../../domain/device-authorizations/device-authorization.js';
import type { ApplicationId, DeviceAuthorizationId, UserId } from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';

/** A device that asked for tokens and waits for its user (RFC 8628). Removed soon after it expired. */
@Entity('device_authorizations')
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'device_authorizations_application',
  onDelete: 'CASCADE',
})
@Index('device_authorizations_user_code', ['userCode'], { unique: true, where: "state = 'pending'" })
@Index('device_authorizations_by_application', ['applicationId'])
@Index('device_authorizations_expiry', ['expiresAt'])
@Index('device_authorizations_device_code', ['deviceCodeHash'], { unique: true })
@Check('device_authorizations_state', "state IN ('pending', 'approved', 'denied')")
@Check('device_authorizations_approved', "(state = 'approved') = (code_hash IS NOT NULL)")
export class DeviceAuthorizationEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'device_authorizations_pkey' })
  id!: DeviceAuthorizationId;

  @Column('text', { name: 'application_id' })
  applicationId!: ApplicationId;

  @Column('bytea', { name: 'device_code_hash' })
  deviceCodeHash!: Buffer;

  /** The code that users type. It gives no access by itself: whoever types it can only grant access to their own account. */
  @Column('text', { name: 'user_code' })
  userCode!: string;

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text', { name: 'asked_from' })
  askedFrom!: string;

  @Column('text', { default: 'pending' })
  state!: PolledDevice['state'];

  /** The user who approved it. */
  @Column('text', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  /** The hash of an internal authorization code, which is never sent to anybody. */
  @Column('bytea', { name: 'code_hash', nullable: true })
  codeHash!: Buffer | null;

  @Column('integer', { name: 'poll_seconds' })
  pollSeconds!: number;

  @Column('timestamptz', { name: 'polled_at', nullable: true })
  polledAt!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
