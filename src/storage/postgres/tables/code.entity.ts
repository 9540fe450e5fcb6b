import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AuthorizationEntity } from './authorization.entity.js';

/** An authorization code by its hash (RFC 6749, section 4.1.2). Used ones stay to recognise a replay. */
@Entity('codes')
@ForeignKey(() => AuthorizationEntity, ['authorizationId'], ['id'], {
  name: 'codes_authorization',
  onDelete: 'CASCADE',
})
@Index('codes_by_authorization', ['authorizationId'])
@Index('codes_expiry', ['expiresAt'])
@Index('codes_live_by_session', ['sessionId', 'expiresAt'], { where: 'used_at IS NULL' })
export class CodeEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'codes_pkey' })
  hash!: Buffer;

  @Column('text', { name: 'authorization_id' })
  authorizationId!: string;

  @Column('text', { name: 'redirect_uri' })
  redirectUri!: string;

  @Column('text', { name: 'code_challenge', nullable: true })
  codeChallenge!: string | null;

  /** Thumbprint of the DPoP key that must be used to redeem it (RFC 9449, section 10). */
  @Column('text', { name: 'dpop_jkt', nullable: true })
  dpopJkt!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;
}
