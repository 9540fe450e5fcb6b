import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When an alarm of a kind was last raised in the instance, and how often so far. */
@Entity('alarms')
export class AlarmEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'alarms_pkey' })
  kind!: string;

  @Column('bigint', { default: 1 })
  times!: string;

  @Column('timestamptz', { name: 'raised_at' })
  raisedAt!: Date;
}
