import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The same for the whole instance, including events without an organization; stored, so that organizations need not be summed. */
@Entity('instance_counts')
@Check('instance_counts_positive', 'count > 0')
export class InstanceCountEntity {
  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'instance_counts_pkey' })
  hour!: Date;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'instance_counts_pkey' })
  counted!: string;

  @Column('bigint')
  count!: string;
}
