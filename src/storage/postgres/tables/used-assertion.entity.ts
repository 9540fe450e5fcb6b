import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What is accepted once, by a hash of who sent it and its id, until it would be refused for its age: assertions of clients and service
 * users, and of SAML providers their assertions and logout requests. Also a session that has ended at an identity provider, by the
 * hash of its name there, for as long as an earlier response could still start a session with it.
 */
@Entity('used_assertions')
@Index('used_assertions_expiry', ['expiresAt'])
export class UsedAssertionEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'used_assertions_pkey' })
  hash!: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
