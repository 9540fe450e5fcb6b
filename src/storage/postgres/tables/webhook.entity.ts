import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, WebhookDeadLetterId, WebhookId } from '../../../domain/shared/ids.js';
import type { DeadLetterState, WebhookState } from '../../../domain/webhooks/webhook.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';

/** A webhook for the events of an organization, or for all events if `orgId` is null; with its cursor into the events. */
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

  /** The former secret, with which requests are also signed until `formerSecretUntil`. */
  @Column('bytea', { name: 'former_secret_sealed', nullable: true })
  formerSecretSealed!: Buffer | null;

  @Column('integer', { name: 'former_data_key_id', nullable: true })
  formerDataKeyId!: number | null;

  @Column('timestamptz', { name: 'former_secret_until', nullable: true })
  formerSecretUntil!: Date | null;

  /** The cursor: the last event that was delivered or skipped. */
  @Column('timestamptz', { name: 'cursor_at', default: () => 'app_now()' })
  cursorAt!: Date;

  @Column('bigint', { name: 'cursor_position', default: 0 })
  cursorPosition!: string;

  /** The highest position passed so far: an event before the cursor with a higher one was written after the clock was set back. */
  @Column('bigint', { name: 'cursor_highest', nullable: true })
  cursorHighest!: string | null;

  /** After the cursor was moved back for such an event: up to this time, events up to position `rereadAbove` were passed before. */
  @Column('timestamptz', { name: 'reread_until', nullable: true })
  rereadUntil!: Date | null;

  @Column('bigint', { name: 'reread_above', nullable: true })
  rereadAbove!: string | null;

  /** The fencing number, raised by each claim and each change: a worker with an older claim can no longer write. */
  @Column('bigint', { default: 0 })
  fence!: string;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  /** Attempts to deliver the next event. */
  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'app_now()' })
  nextAttemptAt!: Date;

  /** Failures in a row, over all events. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'last_delivered_at', nullable: true })
  lastDeliveredAt!: Date | null;
}

/** An event that could not be delivered to a webhook. The event itself stays in the log. */
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
