import { Column } from 'typeorm';

/** Columns of a row that a worker claims and delivers (outbox/claim-and-deliver.ts). `fence` stops a worker that has lost its claim. */
export abstract class Delivered {
  @Column('bigint', { name: 'outbox_id', nullable: true })
  outboxId!: string | null;

  @Column('text', { default: 'pending' })
  state!: string;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('bigint', { default: 0 })
  fence!: string;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
