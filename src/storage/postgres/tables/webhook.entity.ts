import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, WebhookDeadLetterId, WebhookId } from '../../../domain/shared/ids.js';
import type { DeadLetterState, WebhookState } from '../../../domain/webhooks/webhook.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';

/** Where events go: those of an organization, or all where it names none. And how far it has got in the log of events. */
@Entity('webhooks')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'webhooks_org', onDelete: 'CASCADE' })
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'webhooks_data_key' })
@ForeignKey(() => DataKeyEntity, ['formerDataKeyId'], ['id'], { name: 'webhooks_former_data_key' })
@Index('webhooks_of_org', ['orgId', 'createdAt'])
@Check('webhooks_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('webhooks_url', 'char_length(url) BETWEEN 1 AND 2000')
@Check('webhooks_event_types', 'cardinality(event_types) BETWEEN 1 AND 50')
@Check('webhooks_state', "state IN ('active', 'inactive')")
@Check('webhooks_sealed', '(secret_sealed IS NULL) = (data_key_id IS NULL)')
@Check('webhooks_reread', '(reread_until IS NULL) = (reread_above IS NULL)')
@Check(
  'webhooks_former',
  'num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) IN (0, 3)',
)
export class WebhookEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'webhooks_pkey', default: () => 'new_id()' })
  id!: WebhookId;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: OrgId | null;

  @Column('text')
  name!: string;

  @Column('text')
  url!: string;

  @Column('text', { name: 'event_types', array: true })
  eventTypes!: readonly string[];

  @Column('text', { default: 'active' })
  state!: WebhookState;

  @Column('bytea', { name: 'secret_sealed', nullable: true })
  secretSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  /** Signs as well, until its time is over. */
  @Column('bytea', { name: 'former_secret_sealed', nullable: true })
  formerSecretSealed!: Buffer | null;

  @Column('integer', { name: 'former_data_key_id', nullable: true })
  formerDataKeyId!: number | null;

  @Column('timestamptz', { name: 'former_secret_until', nullable: true })
  formerSecretUntil!: Date | null;

  /** The last event that was delivered, or passed over: the next one is beyond it. */
  @Column('timestamptz', { name: 'cursor_at', default: () => 'app_now()' })
  cursorAt!: Date;

  @Column('bigint', { name: 'cursor_position', default: 0 })
  cursorPosition!: string;

  /** The greatest of all that were passed: one before the cursor that is greater was written by a clock that had gone back. */
  @Column('bigint', { name: 'cursor_highest', nullable: true })
  cursorHighest!: string | null;

  /** After the cursor went back for such a one: up to here, what is no greater than `rereadAbove` was passed before. */
  @Column('timestamptz', { name: 'reread_until', nullable: true })
  rereadUntil!: Date | null;

  @Column('bigint', { name: 'reread_above', nullable: true })
  rereadAbove!: string | null;

  /** Raised by each claim, and by each change: who held it before writes nothing any more. */
  @Column('bigint', { default: 0 })
  fence!: string;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  /** Of the event that is to be delivered next. */
  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'app_now()' })
  nextAttemptAt!: Date;

  /** In a row, over however many events. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'last_delivered_at', nullable: true })
  lastDeliveredAt!: Date | null;
}

/** An event that a webhook did not take. The event itself stays in the log. */
@Entity('webhook_dead_letters')
@ForeignKey(() => WebhookEntity, ['webhookId'], ['id'], {
  name: 'webhook_dead_letters_webhook',
  onDelete: 'CASCADE',
})
@Unique('webhook_dead_letters_event', ['webhookId', 'eventAt', 'eventPosition'])
@Index('webhook_dead_letters_by_age', ['createdAt'])
@Index('webhook_dead_letters_queued', ['webhookId'], { where: "state = 'queued'" })
@Check('webhook_dead_letters_state', "state IN ('dead', 'queued')")
export class WebhookDeadLetterEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'webhook_dead_letters_pkey', default: () => 'new_id()' })
  id!: WebhookDeadLetterId;

  @Column('text', { name: 'webhook_id' })
  webhookId!: WebhookId;

  @Column('timestamptz', { name: 'event_at' })
  eventAt!: Date;

  @Column('bigint', { name: 'event_position' })
  eventPosition!: string;

  @Column('text', { name: 'event_type' })
  eventType!: string;

  @Column('text', { default: 'dead' })
  state!: DeadLetterState;

  @Column('text')
  reason!: string;

  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
