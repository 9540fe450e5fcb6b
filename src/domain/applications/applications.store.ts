import type { JWK } from 'jose';
import type { GivenAccess, ManagementAccess } from '../permissions/management-access.js';
import type { ActivityState } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type {
  ApplicationId,
  ApplicationKeyId,
  ClientId,
  OrgId,
  ProjectId,
  SessionId,
  UserId,
} from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Application, BrowserApplication, ClientRegistration, MissedSetting } from './application.js';
import type { FrontChannel } from './front-channel.js';
import type { ApiConfig, ClientAuthMethod, OidcConfig, SecurityProfile } from './oidc-config.js';
import type { TlsSubject } from './tls-subject.js';

/** Where an application stands: every statement asks for all three, so that no id of another organization works. */
export interface ApplicationPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly id: ApplicationId;
}

interface NewApplication {
  /** Kept when they come along from elsewhere, made when they do not. */
  readonly id?: ApplicationId | undefined;
  readonly clientId?: ClientId | undefined;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly clientSecretHash: Buffer | null;
}

export interface NewOidcApplication extends NewApplication, OidcConfig {
  /** Who gave it its access to the service's own APIs; nobody for an application that bootstrap makes. */
  readonly accessGivenBy?: UserId | null;
  /** Left out for one that somebody makes. */
  readonly registration?: ClientRegistration;
  readonly allowedScopes?: readonly string[];
}

export interface NewApiApplication extends NewApplication, ApiConfig {}

export interface CreatedApplication {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly details: ResourceDetails;
}

/** An application as those see it who administer it. */
export type ApplicationRecord = {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly name: string;
  readonly state: ActivityState;
  /** The console signs people in by it; read by `ReadApplications` only. */
  readonly isOwn?: boolean;
  readonly details: ResourceDetails;
} & (
  | {
      readonly type: 'oidc';
      readonly config: OidcConfig;
      /** Every origin that scripts may call from: the additional ones and those of the redirect URIs. */
      readonly origins: readonly string[];
      readonly missedSettings: readonly MissedSetting[];
      readonly registration: ClientRegistration | null;
      /** One that registered itself goes then, unless somebody signs in with it before; undefined for one that stays. */
      readonly registrationExpiresAt?: Date | undefined;
      readonly allowedScopes: readonly string[] | null;
    }
  | { readonly type: 'api'; readonly config: ApiConfig }
);
export type ApplicationType = ApplicationRecord['type'];

/** What an application has to authenticate with. */
export interface ApplicationCredentials {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly type: ApplicationType;
  readonly authMethod: ClientAuthMethod;
  readonly clientSecretHash: Buffer | null;
  readonly jwksUri: string | null;
  readonly securityProfile: SecurityProfile;
  /** None with public subjects. */
  readonly pairwiseSector: string | null;
}

/** The secret of an application whose way to authenticate was changed. */
export interface SecretChange {
  /** Null for a method without. */
  readonly hash: Buffer | null;
  /** One was taken away: the token epoch rises, and what the secret obtained ends with it. */
  readonly endsTokens: boolean;
  /** Codes and refresh tokens end as well: its name alone would redeem them. */
  readonly endsAuthorizations: boolean;
}

/** Who answers for what an application may do. */
export interface AccessGrant {
  readonly access: ManagementAccess;
  /** Null for `none`, and for an application of bootstrap's. */
  readonly givenBy: UserId | null;
}

/** A key that an application signs its assertions with. */
export interface ApplicationKey {
  readonly id: ApplicationKeyId;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

/** Where the key of a name is: on file, or among those that the application publishes. Never both. */
export type LiveKey =
  { readonly publicJwk: JWK } | ({ readonly jwksUri: string } & Pick<Application, 'orgId' | 'registration'>);

export interface CertificateRules {
  readonly subject: TlsSubject;
  /** Whether the key is one of the application's that have not expired. */
  readonly hasKey: boolean;
}

/** A public key that an application which registered itself has named. */
export interface OwnKey {
  /** `NAMELESS` where it is the only one and came without. */
  readonly kid: string;
  readonly publicJwk: JWK;
}

/** Applications, and the keys that they sign their assertions with. */
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
   * Front-channel logout URIs of active applications that these sessions signed in to; the first hundred, and none on
   * an instance without front-channel logout.
   */
  abstract listFrontChannels(sessionIds: readonly SessionId[]): Promise<readonly FrontChannel[]>;

  /** Remembers, once, what a request asked for that the application's settings do not allow. */
  abstract addMissedSetting(id: ApplicationId, setting: MissedSetting): Promise<void>;

  /**
   * @throws ApiError already-exists when the project has an application of that name, or somebody has its id or client
   * id; not-found for the project
   */
  abstract add(
    tx: Tx,
    type: ApplicationType,
    application: NewOidcApplication | NewApiApplication,
  ): Promise<CreatedApplication>;

  abstract find(place: ApplicationPlace, tx?: Tx): Promise<ApplicationRecord | undefined>;

  abstract list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ApplicationRecord>>;

  /** Of those that somebody made. */
  abstract findByName(
    tx: Tx,
    projectId: ProjectId,
    name: string,
  ): Promise<ApplicationCredentials | undefined>;

  /** Nobody else changes the application until the transaction ends. */
  abstract lock(tx: Tx, place: ApplicationPlace): Promise<ApplicationCredentials | undefined>;

  /** @throws ApiError already-exists */
  abstract rename(tx: Tx, place: ApplicationPlace, name: string): Promise<ResourceDetails | undefined>;

  /** Replaces the configuration, save its access, with the secret that goes with its way to authenticate. */
  abstract replaceConfig(
    tx: Tx,
    place: ApplicationPlace,
    config: OidcConfig | ApiConfig,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined>;

  /** Replaces the secret and raises the client's token epoch: what the old secret obtained ends with it. */
  abstract setSecret(tx: Tx, id: ApplicationId, secretHash: Buffer): Promise<ResourceDetails>;

  /** Into `state` from the other one. To rest raises the token epoch. Undefined when it was not in that other state. */
  abstract setState(
    tx: Tx,
    place: ApplicationPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined>;

  /** Something that belongs to it has changed: it counts as a change of it. */
  abstract noteChange(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined>;

  /** With its grants, and so with every token that came from them. */
  abstract remove(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined>;

  /** What it may do on the service's own APIs, with the giver's present roles; undefined for one that is gone. */
  abstract findAccess(id: ApplicationId, tx?: Tx): Promise<GivenAccess | undefined>;

  /** The same, and nobody else changes it until the transaction ends. */
  abstract lockAccess(tx: Tx, id: ApplicationId): Promise<GivenAccess | undefined>;

  /** With access that nobody gave, it is bootstrap's own; otherwise it is that no longer, whatever it was. */
  abstract setAccess(tx: Tx, id: ApplicationId, gift: AccessGrant): Promise<ResourceDetails>;

  /** The public half alone. @param id kept when it comes along from elsewhere. @throws ApiError already-exists for the id */
  abstract addKey(
    tx: Tx,
    place: ApplicationPlace,
    publicJwk: JWK,
    expiresAt: Date,
    id?: ApplicationKeyId,
  ): Promise<ApplicationKey>;

  /** In place of those that it had: keys that it names itself. Whether one was taken away raises the token epoch. */
  abstract replaceOwnKeys(tx: Tx, place: ApplicationPlace, keys: readonly OwnKey[]): Promise<void>;

  abstract listOwnKeys(place: ApplicationPlace): Promise<readonly OwnKey[]>;

  /** The scopes of one that registered itself. */
  abstract setAllowedScopes(tx: Tx, id: ApplicationId, scopes: readonly string[]): Promise<void>;

  /** Whether it has any on file, of whoever's. */
  abstract hasKeys(tx: Tx, place: ApplicationPlace): Promise<boolean>;

  abstract findKey(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey | undefined>;

  abstract listKeys(place: ApplicationPlace, query: PageQuery): Promise<Page<ApplicationKey>>;

  /**
   * Removes the key and raises the client's token epoch, once however many remove it: what it obtained ends with it.
   * Undefined when there was no such key.
   */
  abstract removeKey(
    tx: Tx,
    place: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined>;

  /**
   * The public key of a client by its id, while it has not expired, or where the client publishes its keys. Never cached: a key
   * that is removed here is dead at once.
   */
  abstract findLiveKey(clientId: string, keyId: string): Promise<LiveKey | undefined>;

  /**
   * How the certificate of a client is known, in one statement and never cached.
   * @param publicJwk the key of the certificate that it has come with; null for one that could not be registered
   */
  abstract findCertificateRules(
    clientId: string,
    publicJwk: JWK | null,
  ): Promise<CertificateRules | undefined>;
}
