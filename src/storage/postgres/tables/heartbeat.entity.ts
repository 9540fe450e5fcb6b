import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a queue was last consumed, and by whom: a worker whose queues fall silent is not alive. */
@Entity('heartbeats')
export class HeartbeatEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'heartbeats_pkey' })
  queue!: string;

  @Column('timestamptz', { name: 'consumed_at' })
  consumedAt!: Date;

  @Column('text')
  worker!: string;
}
