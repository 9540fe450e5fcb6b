import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The same of the whole instance, with what belongs to no organization: nobody has to add up thousands of them. */
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
