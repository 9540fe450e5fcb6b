import { Column } from 'typeorm';

/** What a row has whose changes are counted: the `details` of answers are made of it (protocol §4). */
export abstract class CountedChanges {
  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
