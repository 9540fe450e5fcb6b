import type { TokenPolicy } from '../policies/token-policy.js';
import type { OrganizationLook } from '../orgs/organization-look.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../shared/ids.js';
import type { SigningAlgorithm } from '../keys/signing-key.js';
import type { MissedSetting } from './missed-setting.js';

/**
 * Applications are the OAuth clients. An application belongs to a project, the project to an organization; it can
 * act only while all three are active.
 */
export const CLIENT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

export const APP_TYPES = ['web', 'user_agent', 'native'] as const;
export type AppType = (typeof APP_TYPES)[number];

export const RESPONSE_TYPES = ['code', 'id_token', 'id_token token'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

export type AccessTokenType = 'opaque' | 'jwt';

/** What every endpoint needs to know of a client. */
export interface Application {
  readonly id: ApplicationId;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly clientId: ClientId;
  readonly name: string;
  /** Application, project and organization are all active. */
  readonly active: boolean;
  readonly authMethod: ClientAuthMethod;
  readonly clientSecretHash: Buffer | null;
  readonly grantTypes: readonly string[];
  readonly accessTokenType: AccessTokenType;
  readonly idTokenUserinfoAssertion: boolean;
  /** Signs its ID and logout tokens, where the instance's own will not do. */
  readonly idTokenAlgorithm?: SigningAlgorithm;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  /** Of its project: roles are given without being asked for; only who holds one, or is at home there, may sign in. */
  readonly project: {
    readonly assertsRoles: boolean;
    readonly requiresRole: boolean;
    readonly requiresProject: boolean;
  };
  /** exp moves later, iat and nbf earlier by this many seconds (0–5). */
  readonly clockSkewSeconds: number;
  readonly tokenEpoch: number;
  /** Its client assertions must name the issuer as audience; the token endpoint's URL will not do (RFC 10070). */
  readonly assertionIssuerOnly: boolean;
  /** Has registered a back-channel logout URI: its ID tokens name the session. */
  readonly backChannelLogout: boolean;
  /** What its organization, or else the instance, decided about its tokens; what is left out is as the service is configured. */
  readonly lifetimes?: TokenPolicy;
}

/** What the authorization and logout endpoints need beside that. */
export interface BrowserApplication extends Application {
  readonly organization: OrganizationLook;
  readonly appType: AppType;
  readonly devMode: boolean;
  readonly responseTypes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** What requests asked of it that it does not allow. */
  readonly missedSettings?: readonly MissedSetting[];
}
