import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ClientRegistration, MissedSetting } from '../../../domain/applications/application.js';
import type { ApplicationType } from '../../../domain/applications/applications.store.js';
import {
  CLIENT_AUTH_METHODS,
  SECURITY_PROFILES,
  SUBJECT_TYPES,
  type ClientAuthMethod,
  type SecurityProfile,
  type SubjectType,
} from '../../../domain/applications/oidc-config.js';
import { APP_TYPES, type AppType } from '../../../domain/applications/redirect-uri.js';
import type { AccessTokenType } from '../../../domain/authorizations/authorizations.store.js';
import { MANAGEMENT_ACCESS, type ManagementAccess } from '../../../domain/permissions/management-access.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type { ApplicationId, ClientId, OrgId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../domain/signing-keys/signing-key.js';
import { oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { ProjectEntity } from './project.entity.js';

/** An OAuth client (RFC 6749, section 2). Confidential exactly when it has a secret hash. */
@Entity('applications')
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], { name: 'applications_project' })
@Unique('applications_in_org', ['orgId', 'id'])
@Unique('applications_client_id', ['clientId'])
@Index('applications_name_in_project', ['projectId', 'name'], { unique: true, where: 'registration IS NULL' })
@Index('applications_registered_in_project', ['projectId'], { where: 'registration IS NOT NULL' })
// on an expression, which an entity cannot name (migrations/1796800000000)
@Index('applications_by_name', { synchronize: false })
@Index('applications_by_age', ['projectId', 'createdAt', 'id'])
@Index('applications_origins', ['origins'], { type: 'gin' })
@Check('applications_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('applications_state', "state IN ('active', 'inactive')")
@Check('applications_kind', "kind IN ('oidc', 'api')")
@Check('applications_app_type', `app_type ${oneOf(APP_TYPES)}`)
@Check('applications_auth_method', `auth_method ${oneOf(CLIENT_AUTH_METHODS)}`)
@Check('applications_security_profile', `security_profile ${oneOf(SECURITY_PROFILES)}`)
@Check('applications_subject_type', `subject_type ${oneOf(SUBJECT_TYPES)}`)
@Check('applications_pairwise_sector', "(subject_type = 'pairwise') = (pairwise_sector IS NOT NULL)")
@Check('applications_own_sector', "pairwise_sector IS NULL OR starts_with(pairwise_sector, org_id || ' ')")
@Check('applications_secret', "(auth_method LIKE 'client_secret_%') = (client_secret_hash IS NOT NULL)")
@Check(
  'applications_response_types',
  "response_types <@ '{code,id_token,id_token token,code id_token,code token,code id_token token}'::text[]",
)
@Check(
  'applications_grant_types',
  "grant_types <@ '{authorization_code,implicit,refresh_token,client_credentials,urn:ietf:params:oauth:grant-type:jwt-bearer,urn:ietf:params:oauth:grant-type:token-exchange,urn:ietf:params:oauth:grant-type:device_code}'::text[]",
)
@Check(
  'applications_redirect_uris',
  `cardinality(redirect_uris) <= 100
    AND cardinality(post_logout_redirect_uris) <= 100
    AND cardinality(additional_origins) <= 100`,
)
@Check('applications_request_uris', 'cardinality(request_uris) <= 10')
@Check('applications_access_token_type', "access_token_type IN ('opaque', 'jwt')")
@Check('applications_id_token_algorithm', `id_token_algorithm ${oneOf(SIGNING_ALGORITHMS)}`)
@Check('applications_userinfo_algorithm', `userinfo_algorithm ${oneOf(SIGNING_ALGORITHMS)}`)
@Check('applications_authorization_algorithm', `authorization_algorithm ${oneOf(SIGNING_ALGORITHMS)}`)
@Check('applications_management_access', `management_access ${oneOf(MANAGEMENT_ACCESS)}`)
@Check(
  'applications_access_given',
  "(management_access = 'none') = (access_given_by IS NULL AND NOT first_party)",
)
@Check('applications_first_party', 'NOT first_party OR access_given_by IS NULL')
@Check('applications_registration', "registration IN ('initial_access_token', 'anyone', 'document')")
@Index('applications_by_giver', ['accessGivenBy'], { where: 'access_given_by IS NOT NULL' })
@Check('applications_clock_skew', 'clock_skew_seconds BETWEEN 0 AND 5')
export class ApplicationEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'applications_pkey', default: () => 'new_id()' })
  id!: ApplicationId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text', { name: 'client_id', default: () => 'new_id()' })
  clientId!: ClientId;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  state!: ActivityState;

  @Column('text', { name: 'kind' })
  type!: ApplicationType;

  @Column('text', { name: 'app_type', default: 'web' })
  appType!: AppType;

  @Column('text', { name: 'auth_method' })
  authMethod!: ClientAuthMethod;

  @Column('bytea', { name: 'client_secret_hash', nullable: true })
  clientSecretHash!: Buffer | null;

  @Column('text', { name: 'response_types', array: true, default: ['code'] })
  responseTypes!: string[];

  @Column('text', { name: 'grant_types', array: true, default: ['authorization_code'] })
  grantTypes!: string[];

  @Column('text', { name: 'redirect_uris', array: true, default: [] })
  redirectUris!: string[];

  @Column('text', { name: 'post_logout_redirect_uris', array: true, default: [] })
  postLogoutRedirectUris!: string[];

  @Column('text', { name: 'additional_origins', array: true, default: [] })
  additionalOrigins!: string[];

  /** URIs of its signed authorization requests (OpenID Connect Core, section 6.2). */
  @Column('text', { name: 'request_uris', array: true, default: [] })
  requestUris!: string[];

  /** Origins of the redirect URIs and the additional origins, as browsers send them. */
  @Column('text', { array: true, default: [] })
  origins!: string[];

  @Column('text', { name: 'access_token_type', default: 'opaque' })
  accessTokenType!: AccessTokenType;

  /** JWT access tokens have the header type of RFC 9068. */
  @Column('boolean', { name: 'access_token_at_jwt', default: false })
  accessTokenAtJwt!: boolean;

  @Column('boolean', { name: 'claims_webhook', default: false })
  claimsWebhook!: boolean;

  @Column('boolean', { name: 'id_token_userinfo_assertion', default: false })
  idTokenUserinfoAssertion!: boolean;

  @Column('boolean', { name: 'access_token_role_assertion', default: false })
  accessTokenRoleAssertion!: boolean;

  @Column('boolean', { name: 'id_token_role_assertion', default: false })
  idTokenRoleAssertion!: boolean;

  @Column('boolean', { name: 'dev_mode', default: false })
  devMode!: boolean;

  @Column('integer', { name: 'clock_skew_seconds', default: 0 })
  clockSkewSeconds!: number;

  @Column('boolean', { name: 'skip_native_app_success_page', default: false })
  skipNativeAppSuccessPage!: boolean;

  @Column('text', { name: 'back_channel_logout_uri', nullable: true })
  backChannelLogoutUri!: string | null;

  /** Loaded in a frame of our logout page (Front-Channel Logout §2). */
  @Column('text', { name: 'front_channel_logout_uri', nullable: true })
  frontChannelLogoutUri!: string | null;

  @Column('boolean', { name: 'front_channel_logout_session_required', default: false })
  frontChannelLogoutSessionRequired!: boolean;

  /** `initiate_login_uri`: where others can send a browser to start a sign-in (OpenID Connect Core, section 4). */
  @Column('text', { name: 'initiate_login_uri', nullable: true })
  initiateLoginUri!: string | null;

  /** It may use session management in the browser (check_session_iframe). */
  @Column('boolean', { name: 'session_management', default: false })
  sessionManagement!: boolean;

  @Column('integer', { name: 'token_epoch', default: 0 })
  tokenEpoch!: number;

  /** The audience of client assertions must be the issuer, not the token endpoint's URL. */
  @Column('boolean', { name: 'assertion_issuer_only', default: false })
  assertionIssuerOnly!: boolean;

  /** Where it publishes its keys; null if they are in `application_keys`. */
  @Column('text', { name: 'jwks_uri', nullable: true })
  jwksUri!: string | null;

  /** For ID tokens and logout tokens; null for the instance's algorithm. */
  @Column('text', { name: 'id_token_algorithm', nullable: true })
  idTokenAlgorithm!: 'RS256' | null;

  /** Only pushed authorization requests are accepted (RFC 9126). */
  @Column('boolean', { name: 'require_pushed_authorization_requests', default: false })
  requirePushedAuthorizationRequests!: boolean;

  /** Only signed authorization requests are accepted (RFC 9101). */
  @Column('boolean', { name: 'require_signed_request_object', default: false })
  requireSignedRequestObject!: boolean;

  /** Its access tokens must be bound to a DPoP key (RFC 9449). */
  @Column('boolean', { name: 'dpop_bound_access_tokens', default: false })
  dpopBoundAccessTokens!: boolean;

  /** Its access tokens must be bound to a TLS certificate (RFC 8705). */
  @Column('boolean', { name: 'tls_client_certificate_bound_access_tokens', default: false })
  tlsClientCertificateBoundAccessTokens!: boolean;

  /** The subject of its certificate, in one of these columns (RFC 8705, section 2.1.2). */
  @Column('text', { name: 'tls_client_auth_subject_dn', nullable: true })
  tlsClientAuthSubjectDn!: string | null;

  @Column('text', { name: 'tls_client_auth_san_dns', nullable: true })
  tlsClientAuthSanDns!: string | null;

  @Column('text', { name: 'tls_client_auth_san_uri', nullable: true })
  tlsClientAuthSanUri!: string | null;

  @Column('text', { name: 'tls_client_auth_san_ip', nullable: true })
  tlsClientAuthSanIp!: string | null;

  @Column('text', { name: 'tls_client_auth_san_email', nullable: true })
  tlsClientAuthSanEmail!: string | null;

  /** A security profile, which overrides settings. */
  @Column('text', { name: 'security_profile', default: 'none' })
  securityProfile!: SecurityProfile;

  /** Whether `sub` is the user's id, or pairwise for its sector. */
  @Column('text', { name: 'subject_type', default: 'public' })
  subjectType!: SubjectType;

  @Column('text', { name: 'sector_identifier_uri', nullable: true })
  sectorIdentifierUri!: string | null;

  /** Host of the sector identifier URI, or of the redirect URIs; null with public subjects. */
  @Column('text', { name: 'pairwise_sector', nullable: true })
  pairwiseSector!: string | null;

  /** For signed userinfo responses; null for plain JSON. */
  @Column('text', { name: 'userinfo_algorithm', nullable: true })
  userinfoAlgorithm!: SigningAlgorithm | null;

  /** For JWT-secured authorization responses; null for the instance's algorithm. */
  @Column('text', { name: 'authorization_algorithm', nullable: true })
  authorizationAlgorithm!: 'RS256' | null;

  /** Its access to the service's own APIs. */
  @Column('text', { name: 'management_access', default: 'none' })
  managementAccess!: ManagementAccess;

  /** The user who gave that access, whose roles limit it; of any organization, and maybe deleted. */
  @Column('text', { name: 'access_given_by', nullable: true })
  accessGivenBy!: UserId | null;

  /** Created by bootstrap: it needs no giver of its access, and no consent of users. */
  @Column('boolean', { name: 'first_party', default: false })
  firstParty!: boolean;

  @Column('integer', { name: 'authorization_epoch', default: 0 })
  authorizationEpoch!: number;

  /** How it registered itself; null for one created by an administrator. */
  @Column('text', { nullable: true })
  registration!: ClientRegistration | null;

  /** The scopes that it may request; null for all that its settings allow. */
  @Column('text', { name: 'allowed_scopes', array: true, nullable: true })
  allowedScopes!: string[] | null;

  /** Settings that requests would have needed (`MissedSetting`), to show to administrators. */
  @Column('text', { name: 'missed_settings', array: true, default: '{}' })
  missedSettings!: MissedSetting[];
}
