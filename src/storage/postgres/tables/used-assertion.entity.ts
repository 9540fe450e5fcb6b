import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * An accepted assertion of a client or a service user, by the hash of its signer and `jti`; not needed after the assertion has expired.
 * Also a session that has ended at an identity provider, by the hash of its name there, for as long as an earlier response could still
 * start a session with it.
 */
@Entity('used_assertions')
@Index('used_assertions_expiry', ['expiresAt'])
export class UsedAssertionEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_assertions_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
