import type { OrganizationBranding } from '../organizations/organization-branding.js';
import type { TokenPolicy } from '../policies/policies.store.js';
import { ApiError } from '../shared/errors.js';
import { isId, type ApplicationId, type ClientId, type OrgId, type ProjectId } from '../shared/ids.js';
import type { OidcConfig } from './oidc-config.js';

/** Whether text could be a client_id (RFC 6749 §2.2, appendix A.1): what could not is not even looked for. */
export function isClientId(text: string): boolean {
  return isId(text);
}

/** An application that the project does not have, or that is another organization's: both look the same. */
export function applicationNotFound(): ApiError {
  return new ApiError('not-found', 'Application could not be found', 'QUERY-pCP8P');
}

/**
 * What let an application register itself: a token of its organization, that anyone may (RFC 7591 §3), or that its client id is the
 * address of a document which describes it.
 */
export type ClientRegistration = 'initial_access_token' | 'anyone' | 'document';

/** A setting of an application, by its name in the API, that a request would have needed. */
export type MissedSetting = 'refresh_token' | 'devMode';

/** What the token path reads of a client's configuration. Each is a column of every such statement: keep it short. */
export const TOKEN_SETTINGS = [
  'authMethod',
  'grantTypes',
  'accessTokenType',
  'accessTokenAtJwt',
  'accessTokenRoleAssertion',
  'idTokenRoleAssertion',
  'idTokenUserinfoAssertion',
  'idTokenAlgorithm',
  'clockSkewSeconds',
  'assertionIssuerOnly',
  'dpopBoundAccessTokens',
  'tlsClientCertificateBoundAccessTokens',
  'securityProfile',
  'claimsWebhook',
] as const satisfies readonly (keyof OidcConfig)[];

/** What the authorization and logout endpoints read beside that. */
export const BROWSER_SETTINGS = [
  'appType',
  'devMode',
  'responseTypes',
  'redirectUris',
  'postLogoutRedirectUris',
  'requirePushedAuthorizationRequests',
  'requireSignedRequestObject',
  'requestUris',
  'authorizationAlgorithm',
  'sessionManagement',
  'initiateLoginUri',
] as const satisfies readonly (keyof OidcConfig)[];

/**
 * Applications are the OAuth clients. An application belongs to a project, the project to an organization; it can
 * act only while all three are active. This is what every endpoint needs to know of one.
 */
export interface Application extends Pick<OidcConfig, (typeof TOKEN_SETTINGS)[number]> {
  readonly id: ApplicationId;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly clientId: ClientId;
  readonly name: string;
  /** Application, project and organization are all active. */
  readonly active: boolean;
  readonly clientSecretHash: Buffer | null;
  /** Of its project: roles are given without being asked for; only who holds one, or is at home there, may sign in. */
  readonly project: {
    readonly assertsRoles: boolean;
    readonly requiresRole: boolean;
    readonly requiresProject: boolean;
  };
  readonly tokenEpoch: number;
  /** What let it register itself; null for one that somebody made. */
  readonly registration?: ClientRegistration | null;
  /** Has registered a back-channel logout URI: its ID tokens name the session. */
  readonly backChannelLogout: boolean;
  /** Has registered a front-channel logout URI that the instance calls, and needs to know the session as well. */
  readonly frontChannelLogout?: boolean;
  /** The sector for which its users and sessions are named; none with public subjects (`PairwiseSubjects`). */
  readonly pairwiseSector?: string | null;
  /** What its organization, or else the instance, decided about its tokens; what is left out is as the service is configured. */
  readonly lifetimes?: TokenPolicy;
}

/** What the authorization and logout endpoints need beside that. */
export interface BrowserApplication extends Application, Pick<OidcConfig, (typeof BROWSER_SETTINGS)[number]> {
  readonly organization: OrganizationBranding;
  /** The most that it is ever given; null is whatever its settings allow. */
  readonly allowedScopes?: readonly string[] | null;
  /** What requests asked of it that it does not allow. */
  readonly missedSettings?: readonly MissedSetting[];
}

/**
 * Unvetted: it registered without a token or describes itself by a document (docs/client-registration.md#what-nobody-vouches-for),
 * so its users are asked before it learns who they are. One with an initial access token is vetted by that organization.
 */
export function isUnknownHere({ registration }: Pick<Application, 'registration'>): boolean {
  return registration === 'anyone' || registration === 'document';
}

/** Whose share of the fetches it uses: unvetted applications have one per organization, apart from the organization's own. */
export function shareOf(application: Pick<Application, 'orgId' | 'registration'>): string {
  return isUnknownHere(application) ? `${application.orgId} unknown` : application.orgId;
}
