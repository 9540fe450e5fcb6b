import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far maintenance has walked through rows of one kind, so that another worker continues there. */
@Entity('upkeep_walks')
export class UpkeepWalkEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'upkeep_walks_pkey' })
  kind!: string;

  @Column('timestamptz', { name: 'walked_to' })
  walkedTo!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
