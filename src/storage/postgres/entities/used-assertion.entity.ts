import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A client assertion that was accepted, by the hash of who signed it and its `jti`; useless once it has expired. */
@Entity('used_assertions')
@Index('used_assertions_expiry', ['expiresAt'])
export class UsedAssertionEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_assertions_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
