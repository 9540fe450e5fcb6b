import { Column } from 'typeorm';

/** The columns for the `details` of answers: a change counter and times (protocol §4). */
export abstract class CountedChanges {
  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
