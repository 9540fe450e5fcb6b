import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ResponseType } from '../../../domain/applications/oidc-config.js';
import type { ClaimsRequest } from '../../../domain/authorizations/claims-request.js';
import type {
  OpenAuthRequest,
  PendingIdentity,
  ResponseMode,
} from '../../../domain/authorize/auth-request.js';
import type { ProviderSession } from '../../../domain/sessions/sessions.store.js';
import type {
  ApplicationId,
  AuthRequestId,
  DeviceAuthorizationId,
  SessionId,
  UserAgentId,
} from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';
import { SessionEntity } from './session.entity.js';
import { UserAgentEntity } from './user-agent.entity.js';

/** `PendingIdentity` as JSON, with sealed values in base64. */
export interface StoredPendingIdentity extends Omit<PendingIdentity, 'providerSession' | 'isOwnerVerified'> {
  /** `isOwnerVerified`, under the name that the previous release reads. */
  readonly isProven: boolean;
  readonly providerSession?: Omit<ProviderSession, 'hint'> & {
    readonly hint?: { readonly sealed: string; readonly dataKeyId: number };
  };
}

/** An authorization request whose user is on our pages; for a sign-in to the service's own pages, without an application. */
@Entity('auth_requests')
@ForeignKey(() => UserAgentEntity, ['userAgentId'], ['id'], {
  name: 'auth_requests_user_agent',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'auth_requests_application',
  onDelete: 'CASCADE',
})
@ForeignKey(() => SessionEntity, ['sessionId'], ['id'], {
  name: 'auth_requests_session',
  onDelete: 'CASCADE',
})
@Index('auth_requests_by_user_agent', ['userAgentId'])
@Index('auth_requests_by_session', ['sessionId'], { where: 'session_id IS NOT NULL' })
@Index('auth_requests_expiry', ['expiresAt'])
@Check('auth_requests_destination', "destination IN ('application', 'home', 'queues', 'account')")
@Check(
  'auth_requests_complete',
  `destination <> 'application'
    OR (application_id IS NOT NULL AND redirect_uri IS NOT NULL AND response_type IS NOT NULL)`,
)
export class AuthRequestEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'auth_requests_pkey' })
  id!: AuthRequestId;

  @Column('text', { name: 'user_agent_id' })
  userAgentId!: UserAgentId;

  @Column('text')
  destination!: OpenAuthRequest['destination'];

  @Column('text', { name: 'application_id', nullable: true })
  applicationId!: ApplicationId | null;

  @Column('text', { name: 'redirect_uri', nullable: true })
  redirectUri!: string | null;

  @Column('text', { name: 'response_type', nullable: true })
  responseType!: ResponseType | null;

  @Column('text', { name: 'response_mode', nullable: true })
  responseMode!: ResponseMode | null;

  /** Without an application: scopes of our own, such as that of the organization to sign in to. */
  @Column('text', { array: true, default: [] })
  scopes!: string[];

  @Column('text', { nullable: true })
  state!: string | null;

  @Column('text', { nullable: true })
  nonce!: string | null;

  @Column('text', { name: 'code_challenge', nullable: true })
  codeChallenge!: string | null;

  @Column('text', { name: 'dpop_jkt', nullable: true })
  dpopJkt!: string | null;

  @Column('text', { array: true, default: [] })
  prompts!: string[];

  @Column('integer', { name: 'max_age', nullable: true })
  maxAge!: number | null;

  @Column('text', { name: 'login_hint', nullable: true })
  loginHint!: string | null;

  @Column('text', { name: 'ui_locales', array: true, default: [] })
  uiLocales!: string[];

  @Column('text', { name: 'acr_values', array: true, default: [] })
  acrValues!: string[];

  @Column('boolean', { name: 'acr_essential', default: false })
  acrEssential!: boolean;

  @Column('jsonb', { nullable: true })
  claims!: ClaimsRequest | null;

  @Column('text', { name: 'hinted_user_id', nullable: true })
  hintedUserId!: string | null;

  /** The device that the sign-in is for. */
  @Column('text', { name: 'device_authorization_id', nullable: true })
  deviceAuthorizationId!: DeviceAuthorizationId | null;

  @Column('boolean', { default: false })
  pushed!: boolean;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: SessionId | null;

  /** The identity at a provider that the user signed in with, until they have confirmed which account it belongs to. */
  @Column('jsonb', { name: 'pending_identity', nullable: true })
  pendingIdentity!: StoredPendingIdentity | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;
}
