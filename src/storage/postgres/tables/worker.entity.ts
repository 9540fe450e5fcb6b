import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker process, with its last heartbeat. */
@Entity('workers')
export class WorkerEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'workers_pkey' })
  id!: string;

  @Column('text')
  host!: string;

  @Column('text')
  version!: string;

  @Column('text', { array: true })
  queues!: string[];

  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;
}
