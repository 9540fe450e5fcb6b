import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A proof of possession that was accepted (RFC 9449), by the hash of its key and its `jti`. The table is unlogged: a row is
 * useless after two minutes, and `used_proofs_since` shows when a crash has emptied it.
 */
@Entity('used_proofs')
@Index('used_proofs_expiry', ['expiresAt'])
export class UsedProofEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_proofs_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
