import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApplicationEntity } from './application.entity.js';
import { SessionEntity } from './session.entity.js';
import { UserEntity } from './user.entity.js';

/** An authorization (grant) of a user for an application. Its id is in all its codes, refresh tokens and access tokens. */
@Entity('authorizations')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'authorizations_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'authorizations_application',
  onDelete: 'CASCADE',
})
@ForeignKey(() => SessionEntity, ['orgId', 'sessionId'], ['orgId', 'id'], {
  name: 'authorizations_session',
  onDelete: 'SET NULL',
})
@Index('authorizations_by_user', ['orgId', 'userId'])
@Index('authorizations_by_age', ['createdAt'])
@Index('authorizations_by_lineage', ['lineage'], { type: 'gin', where: 'lineage IS NOT NULL' })
@Index('authorizations_by_lineage_token', ['lineageTokens'], {
  type: 'gin',
  where: 'lineage_tokens IS NOT NULL',
})
@Check('authorizations_access_token_type', "access_token_type IN ('opaque', 'jwt')")
@Index('authorizations_by_session', ['sessionId'])
@Check('authorizations_end', '(revoked_at IS NULL) = (revoke_reason IS NULL)')
export class AuthorizationEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'authorizations_pkey' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'application_id' })
  applicationId!: string;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text', { array: true })
  audience!: string[];

  @Column('timestamptz', { name: 'auth_time' })
  authTime!: Date;

  @Column('text', { array: true })
  amr!: string[];

  @Column('text', { nullable: true })
  acr!: string | null;

  @Column('text', { nullable: true })
  nonce!: string | null;

  @Column('jsonb', { nullable: true })
  claims!: unknown;

  @Column('jsonb', { nullable: true })
  actor!: unknown;

  @Column('integer', { name: 'subject_epoch' })
  subjectEpoch!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  @Column('text', { name: 'revoke_reason', nullable: true })
  revokeReason!: string | null;

  /** The tokens that a token exchange depends on; null for an authorization by the user. */
  @Column('jsonb', { nullable: true })
  lineage!: unknown;

  /** The access token type requested by a token exchange; null for that of the application. */
  @Column('text', { name: 'access_token_type', nullable: true })
  accessTokenType!: string | null;

  /** The tokens in `lineage`, for an index. */
  @Column('text', { name: 'lineage_tokens', array: true, nullable: true })
  lineageTokens!: string[] | null;

  @Column('integer', { name: 'client_epoch', default: 0 })
  clientEpoch!: number;
}
