import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A `jti` that a service user's assertion has used up; the row is useless once the assertion has expired. */
@Entity('used_grant_assertions')
@Index('used_grant_assertions_expiry', ['expiresAt'])
export class UsedGrantAssertionEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_grant_assertions_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
