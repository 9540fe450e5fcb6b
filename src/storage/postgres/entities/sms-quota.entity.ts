import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How much of a cap on SMS is used up in the window that is running. */
@Entity('sms_quotas')
@Index('sms_quotas_by_end', ['endsAt'])
@Check('sms_quotas_used', 'used >= 0')
export class SmsQuotaEntity {
  /** Rule, window and subject; numbers and addresses as a keyed hash. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_quotas_pkey' })
  id!: string;

  @Column('bigint', { default: 0 })
  used!: string;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt!: Date;
}
