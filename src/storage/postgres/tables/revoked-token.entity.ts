import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An access token that was revoked by itself; the row is useless once the token would have expired. */
@Entity('revoked_tokens')
@Index('revoked_tokens_expiry', ['expiresAt'])
export class RevokedTokenEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'revoked_tokens_pkey' })
  jti!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
