import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How many SMS count for a limit: in the current part of its window, and in earlier parts. */
@Entity('sms_quotas')
@Index('sms_quotas_by_end', ['endsAt'])
@Check('sms_quotas_used', 'used >= 0')
export class SmsQuotaEntity {
  /** Rule, window and subject; numbers and addresses as a keyed hash. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_quotas_pkey' })
  id!: string;

  /** In the current part. */
  @Column('bigint', { default: 0 })
  used!: string;

  /** When the current part stops counting, one window after its end; from then on the row has no meaning. */
  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;

  /** In earlier parts, the newest last. */
  @Column('bigint', { array: true, default: () => `'{}'` })
  earlier!: string[];

  /** Operators were notified that the limit is reached; they are not notified again before this time. */
  @Column('timestamptz', { name: 'quiet_until', nullable: true })
  quietUntil!: Date | null;
}
