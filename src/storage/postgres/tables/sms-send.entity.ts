import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An SMS that was requested, and whether its code was entered: for the conversion rate of a prefix. */
@Entity('sms_sends')
@Index('sms_sends_by_prefix', ['prefix', 'createdAt'])
@Index('sms_sends_by_time', ['createdAt'])
export class SmsSendEntity {
  /** May be gone by now. */
  @PrimaryColumn('text', { name: 'code_id', primaryKeyConstraintName: 'sms_sends_pkey' })
  codeId!: string;

  @Column('text')
  prefix!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'verified_at', nullable: true })
  verifiedAt!: Date | null;
}
