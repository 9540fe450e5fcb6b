import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far upkeep has looked through rows of one kind, so that a worker which died did not look for nothing. */
@Entity('upkeep_walks')
export class UpkeepWalkEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'upkeep_walks_pkey' })
  kind!: string;

  @Column('timestamptz', { name: 'walked_to' })
  walkedTo!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
