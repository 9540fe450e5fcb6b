import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApplicationEntity } from './application.entity.js';
import { SessionEntity } from './session.entity.js';
import { UserEntity } from './user.entity.js';

/** What a user let an application do. Codes, refresh tokens and access tokens all hang from it. */
@Entity('grants')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'grants_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'grants_application',
  onDelete: 'CASCADE',
})
@ForeignKey(() => SessionEntity, ['orgId', 'sessionId'], ['orgId', 'id'], {
  name: 'grants_session',
  onDelete: 'SET NULL',
})
@Index('grants_by_user', ['orgId', 'userId'])
@Index('grants_by_age', ['createdAt'])
@Index('grants_by_ties', ['ties'], { type: 'gin', where: 'ties IS NOT NULL' })
@Index('grants_by_tied_token', ['tiedTokens'], { type: 'gin', where: 'tied_tokens IS NOT NULL' })
@Check('grants_access_token_type', "access_token_type IN ('opaque', 'jwt')")
@Index('grants_by_session', ['sessionId'])
@Check('grants_end', '(revoked_at IS NULL) = (revoke_reason IS NULL)')
export class GrantEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'grants_pkey' })
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

  /** What a token exchange hangs from; null for a grant of a user's own. */
  @Column('jsonb', { nullable: true })
  ties!: unknown;

  /** Form of the access tokens that a token exchange was asked for; null: as the application has it. */
  @Column('text', { name: 'access_token_type', nullable: true })
  accessTokenType!: string | null;

  /** The tokens among them, to be found by. */
  @Column('text', { name: 'tied_tokens', array: true, nullable: true })
  tiedTokens!: string[] | null;

  @Column('integer', { name: 'client_epoch', default: 0 })
  clientEpoch!: number;
}
