import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/** A block of numbers that gets no SMS until then. */
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
