import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { DataKeyEntity } from './data-key.entity.js';
import { UserEntity } from './user.entity.js';

/**
 * A message to a user. Its sealed content is gone once it was sent or given up; `fence` stops a second
 * sender.
 */
@Entity('notifications')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'notifications_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'notifications_data_key' })
@Unique('notifications_once', ['userId', 'template', 'codeId'])
@Index('notifications_unfinished', ['createdAt'], { where: "state IN ('pending', 'sending')" })
@Index('notifications_by_end', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Check('notifications_channel', "channel IN ('email', 'sms')")
@Check('notifications_template', "template IN ('initialise', 'verify_email', 'verify_phone')")
@Check('notifications_state', "state IN ('waiting', 'pending', 'sending', 'sent', 'abandoned')")
@Check('notifications_finished', "(state IN ('sent', 'abandoned')) = (finished_at IS NOT NULL)")
@Check('notifications_sealed', '(content_sealed IS NULL) = (data_key_id IS NULL)')
@Check('notifications_content', "state IN ('waiting', 'pending', 'sending') OR content_sealed IS NULL")
export class NotificationEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'notifications_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text')
  channel!: string;

  @Column('text')
  template!: string;

  @Column('text', { name: 'code_id', nullable: true })
  codeId!: string | null;

  @Column('bigint', { name: 'outbox_id', nullable: true })
  outboxId!: string | null;

  @Column('bytea', { name: 'content_sealed', nullable: true })
  contentSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  @Column('text', { default: 'pending' })
  state!: string;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('bigint', { default: 0 })
  fence!: string;

  /** Hand-overs to the provider that it may have accepted. */
  @Column('integer', { name: 'hand_overs', default: 0 })
  handOvers!: number;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
