import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { NOTIFICATION_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import { NOTIFICATION_CHANNELS } from '../../../domain/notifications/notifications.store.js';
import { oneOf } from '../one-of.js';
import { DataKeyEntity } from './data-key.entity.js';
import { Delivered } from './delivered.js';
import { RegistrationEntity } from './registration.entity.js';
import { UserEntity } from './user.entity.js';

/**
 * A message to a user, or to somebody who registers, with its delivery state. The sealed content is deleted when it was sent or is no
 * longer needed; a dead letter keeps it for as long as its code is valid, to be replayed. `fence` is the fencing number of claims.
 */
@Entity('notifications')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'notifications_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => RegistrationEntity, ['registrationId'], ['id'], {
  name: 'notifications_registration',
  onDelete: 'SET NULL',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'notifications_data_key' })
@Unique('notifications_once', ['userId', 'template', 'codeId'])
@Index('notifications_unfinished', ['createdAt'], { where: "state IN ('pending', 'sending', 'retrying')" })
@Index('notifications_dead', ['finishedAt'], { where: 'dead_letter' })
@Index('notifications_by_time', ['createdAt', 'id'])
@Index('notifications_by_organization', ['orgId', 'createdAt', 'id'])
@Index('notifications_by_end', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Index('notifications_by_registration', ['registrationId'], { where: 'registration_id IS NOT NULL' })
@Check('notifications_recipient', 'user_id IS NULL OR registration_id IS NULL')
@Check('notifications_channel', `channel ${oneOf(NOTIFICATION_CHANNELS)}`)
@Check('notifications_template', `template ${oneOf(NOTIFICATION_TEMPLATES)}`)
@Check(
  'notifications_state',
  "state IN ('pending', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'abandoned')",
)
@Check(
  'notifications_finished',
  "(state IN ('sent', 'delivered', 'failed', 'abandoned')) = (finished_at IS NOT NULL)",
)
@Check('notifications_sealed', '(content_sealed IS NULL) = (data_key_id IS NULL)')
@Check(
  'notifications_content',
  "state IN ('pending', 'sending', 'retrying') OR dead_letter OR content_sealed IS NULL",
)
@Check('notifications_dead_letter', "NOT dead_letter OR state IN ('failed', 'abandoned')")
@Check('notifications_reported', "reported IN ('delivered', 'failed')")
export class NotificationEntity extends Delivered {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'notifications_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('text')
  channel!: string;

  @Column('text')
  template!: string;

  @Column('text', { name: 'code_id', nullable: true })
  codeId!: string | null;

  @Column('bytea', { name: 'content_sealed', nullable: true })
  contentSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  /** How often it was handed over to a provider that may have accepted it. */
  @Column('integer', { name: 'hand_overs', default: 0 })
  handOvers!: number;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** Set to null when the registration is deleted; the message stays. */
  @Column('text', { name: 'registration_id', nullable: true })
  registrationId!: string | null;

  /** The provider that it was handed over to last. */
  @Column('text', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** The provider's id of the message. */
  @Column('text', { name: 'provider_message_id', nullable: true })
  providerMessageId!: string | null;

  /** Failed attempts, without those that a provider deferred. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  /** Whether a provider may have accepted it without our knowing: the only case in which a mail can arrive twice. */
  @Column('boolean', { default: false })
  ambiguous!: boolean;

  /** Given up, though it was still needed. */
  @Column('boolean', { name: 'dead_letter', default: false })
  deadLetter!: boolean;

  /** A delivery report that arrived before the worker had recorded the message as sent. */
  @Column('text', { nullable: true })
  reported!: string | null;

  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;

  @Column('jsonb', { name: 'last_failure', nullable: true })
  lastFailure!: unknown;

  /** A keyed digest of the source address, if messages are limited by it. */
  @Column('bytea', { nullable: true })
  source!: Buffer | null;
}
