import type { ManagementAccess } from '../permissions/management-access.js';
import type { ApplicationId, ClientId, OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { SigningAlgorithm } from '../keys/signing-key.js';
import type {
  AppType,
  Application,
  BrowserApplication,
  AccessTokenType,
  ClientAuthMethod,
} from './application.js';

import type { MissedSetting } from './missed-setting.js';

export interface NewOidcApplication {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: ApplicationId;
  readonly clientId?: ClientId;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly appType: AppType;
  readonly authMethod: ClientAuthMethod;
  readonly clientSecretHash: Buffer | null;
  readonly responseTypes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly additionalOrigins: readonly string[];
  readonly accessTokenType: AccessTokenType;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  readonly idTokenUserinfoAssertion: boolean;
  /** Signs its ID and logout tokens, where the instance's own will not do. */
  readonly idTokenAlgorithm?: SigningAlgorithm;
  readonly devMode: boolean;
  readonly clockSkewSeconds: number;
  readonly skipNativeAppSuccessPage: boolean;
  /** Its assertions name the issuer as audience, and not the token endpoint. */
  readonly assertionIssuerOnly: boolean;
  readonly backChannelLogoutUri: string | null;
  /** How far it may act on the service's own APIs. Left out: not at all, and where it is changed, as it was. */
  readonly managementAccess?: ManagementAccess;
  /** Who gave it that; nobody for an application that bootstrap makes. */
  readonly accessGivenBy?: UserId | null;
}

/** What an OpenID Connect client says of itself, beside its name. */
export type OidcConfig = Omit<
  NewOidcApplication,
  'id' | 'clientId' | 'orgId' | 'projectId' | 'name' | 'clientSecretHash' | 'accessGivenBy'
>;

export interface CreatedApplication {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly details: ResourceDetails;
}

export interface NamedApplication {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly clientSecretHash: Buffer | null;
}

export abstract class ApplicationsStore {
  /** For token-level endpoints: one prepared statement, no arrays of URIs. */
  abstract findClient(clientId: string): Promise<Application | undefined>;

  /** For the authorization and logout endpoints. */
  abstract findBrowserClient(clientId: string): Promise<BrowserApplication | undefined>;

  /** The same by internal id, for a flow that was begun earlier. */
  abstract findBrowserApplication(id: ApplicationId): Promise<BrowserApplication | undefined>;

  /** Whether `origin` is registered with any active application, as an additional origin or by a redirect URI. */
  abstract isOriginRegistered(origin: string): Promise<boolean>;

  /** The same, asked of the one client that a token was issued to. */
  abstract isOriginOfClient(clientId: string, origin: string): Promise<boolean>;

  /**
   * @throws ApiError already-exists when the project has an application of that name, or somebody has its id or client
   * id; not-found for the project
   */
  abstract add(tx: Tx, application: NewOidcApplication): Promise<CreatedApplication>;

  /** Remembers, once, what a request asked for that the application's settings do not allow. */
  abstract addMissedSetting(id: ApplicationId, setting: MissedSetting): Promise<void>;

  abstract findByName(tx: Tx, projectId: ProjectId, name: string): Promise<NamedApplication | undefined>;

  /** Replaces the secret and raises the client's token epoch: what the old secret obtained ends with it. */
  abstract setSecret(tx: Tx, id: ApplicationId, secretHash: Buffer): Promise<ResourceDetails>;
}
