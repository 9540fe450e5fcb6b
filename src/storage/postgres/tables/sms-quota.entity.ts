import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How much of a cap on SMS is used up, in the part of its window that is running and in those before. */
@Entity('sms_quotas')
@Index('sms_quotas_by_end', ['endsAt'])
@Check('sms_quotas_used', 'used >= 0')
export class SmsQuotaEntity {
  /** Rule, window and subject; numbers and addresses as a keyed hash. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_quotas_pkey' })
  id!: string;

  /** In the part that is running. */
  @Column('bigint', { default: 0 })
  used!: string;

  /** When that part counts no more, a window after its end; and the row nothing. */
  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;

  /** In the parts before, the newest last. */
  @Column('bigint', { array: true, default: () => `'{}'` })
  earlier!: string[];

  /** Operators were notified that the cap is used up; not again before then. */
  @Column('timestamptz', { name: 'quiet_until', nullable: true })
  quietUntil!: Date | null;
}
