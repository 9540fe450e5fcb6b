import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JOB_LANES, JOB_QUEUES } from '../../../domain/outbox/outbox.store.js';
import { oneOf } from '../one-of.js';

/**
 * A job that a transaction has queued, to be published to BullMQ. The payload holds ids only, never personal data or a secret.
 */
@Entity('outbox')
@Index('outbox_pending', ['queue', 'lane', 'availableAt', 'id'], { where: "state = 'pending'" })
@Index('outbox_published', ['queue', 'publishedAt'], { where: "state = 'published'" })
@Check('outbox_queue', `queue ${oneOf(JOB_QUEUES)}`)
@Check('outbox_lane', `lane ${oneOf(JOB_LANES)}`)
@Check('outbox_state', "state IN ('pending', 'published')")
export class OutboxEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'outbox_pkey',
  })
  id!: string;

  @Column('text')
  queue!: string;

  @Column('text', { name: 'job_name' })
  jobName!: string;

  @Column('jsonb')
  payload!: unknown;

  @Column('text', { default: 'normal' })
  lane!: string;

  @Column('text', { default: 'pending' })
  state!: string;

  @Column('integer', { default: 0 })
  epoch!: number;

  @Column('timestamptz', { name: 'available_at', default: () => 'app_now()' })
  availableAt!: Date;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  /** W3C Trace Context §3.2; null without tracing. */
  @Column('text', { nullable: true })
  traceparent!: string | null;
}
