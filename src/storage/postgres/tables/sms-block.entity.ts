import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/** A prefix of phone numbers that no SMS is sent to until `blockedUntil`. */
@Entity('sms_blocks')
@Index('sms_blocks_by_end', ['blockedUntil'])
export class SmsBlockEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_blocks_pkey' })
  prefix!: string;

  @Column('text')
  reason!: string;

  @Column('timestamptz', { name: 'blocked_until' })
  blockedUntil!: Date;
}
