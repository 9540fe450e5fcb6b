import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** A browser, known by the hash of the secret in its cookie. */
@Entity('user_agents')
@Unique('user_agents_secret', ['secretHash'])
@Index('user_agents_last_seen', ['lastSeenAt'])
export class UserAgentEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_agents_pkey' })
  id!: string;

  @Column('bytea', { name: 'secret_hash' })
  secretHash!: Buffer;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_seen_at', default: () => 'app_now()' })
  lastSeenAt!: Date;
}
