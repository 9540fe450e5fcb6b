import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * An assertion that was accepted, of a client or a service user, by the hash of who signed it and its `jti`; the row is
 * useless once the assertion has expired. And what has ended at an identity provider, by the hash of its name there, as long as an
 * earlier answer may still begin a session with it.
 */
@Entity('used_assertions')
@Index('used_assertions_expiry', ['expiresAt'])
export class UsedAssertionEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_assertions_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
