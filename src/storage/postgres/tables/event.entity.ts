import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * The audit log, append-only; this is the partitioned parent. Not managed by the schema builder, which knows neither partitions nor xid8;
 * `tx` is declared as bigint, since the driver returns decimal text for both.
 */
@Entity('events', { synchronize: false })
@Index('events_of_aggregate', ['aggregateId', 'createdAt', 'position'])
@Index('events_of_organization', ['orgId', 'createdAt', 'position'])
@Index('events_of_type', ['type', 'createdAt', 'position'])
@Index('events_of_type_in_organization', ['orgId', 'type', 'createdAt', 'position'])
@Index('events_of_actor', ['actorId', 'createdAt', 'position'], { where: 'actor_id IS NOT NULL' })
export class EventEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'events_pkey',
  })
  position!: string;

  @PrimaryColumn('timestamptz', {
    name: 'created_at',
    primaryKeyConstraintName: 'events_pkey',
    default: () => 'app_now()',
  })
  createdAt!: Date;

  @Column('bigint', { default: () => 'pg_current_xact_id()' })
  tx!: string;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: string | null;

  @Column('text', { name: 'aggregate_type' })
  aggregateType!: string;

  @Column('text', { name: 'aggregate_id' })
  aggregateId!: string;

  @Column('bigint')
  sequence!: string;

  @Column('text')
  type!: string;

  @Column('text', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  @Column('text', { array: true, default: [] })
  fields!: string[];

  @Column('jsonb', { default: {} })
  data!: unknown;
}
