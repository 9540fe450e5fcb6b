import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A block of numbers that gets no SMS until then. */
@Entity('sms_blocks')
@Index('sms_blocks_by_end', ['blockedUntil'])
export class SmsBlockEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_blocks_pkey' })
  prefix!: string;

  @Column('text')
  reason!: string;

  @Column('timestamptz', { name: 'blocked_until' })
  blockedUntil!: Date;

  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
