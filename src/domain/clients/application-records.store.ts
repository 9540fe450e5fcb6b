import type { ResourceDetails } from '../shared/details.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ClientAuthMethod } from './application.js';
import type { CreatedApplication, OidcConfig } from './applications.store.js';
import type { MissedSetting } from './missed-setting.js';
import type { ActivityState } from './projects.store.js';

/** Where an application stands: every statement asks for all three, so that no id of another organization works. */
export interface ApplicationPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly id: ApplicationId;
}

export const API_AUTH_METHODS = ['client_secret_basic', 'private_key_jwt'] as const;
/** How an API proves itself where it asks about tokens. */
export type ApiAuthMethod = (typeof API_AUTH_METHODS)[number];

/** What an API says of itself, beside its name. */
export interface ApiConfig {
  readonly authMethod: ApiAuthMethod;
  /** Its assertions name the issuer as audience, and not the token endpoint. */
  readonly assertionIssuerOnly: boolean;
}

/** An application as those see it who administer it. */
export interface ApplicationRecord {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  readonly name: string;
  readonly state: ActivityState;
  readonly details: ResourceDetails;
  readonly is:
    | {
        readonly kind: 'oidc';
        readonly config: OidcConfig;
        readonly origins: readonly string[];
        readonly missed: readonly MissedSetting[];
      }
    | ({ readonly kind: 'api' } & ApiConfig);
}

export interface NewApiApplication extends ApiConfig {
  /** Kept when they come along from elsewhere, made when they do not. */
  readonly id?: ApplicationId | undefined;
  readonly clientId?: ClientId | undefined;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly clientSecretHash: Buffer | null;
}

/** The secret that goes with a changed way to authenticate. */
export interface SecretChange {
  readonly authMethod: ClientAuthMethod;
  /** Put where the method needs a secret and there is none; null for a method without. */
  readonly firstSecretHash: Buffer | null;
}

export abstract class ApplicationRecordsStore {
  /** @throws ApiError already-exists for the name in the project, not-found for the project */
  abstract addApi(tx: Tx, application: NewApiApplication): Promise<CreatedApplication>;

  abstract find(place: ApplicationPlace): Promise<ApplicationRecord | undefined>;

  /** The same, and nobody else changes it until the transaction ends. */
  abstract lock(
    tx: Tx,
    place: ApplicationPlace,
  ): Promise<{ readonly kind: 'oidc' | 'api'; readonly authMethod: ClientAuthMethod } | undefined>;

  abstract list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ApplicationRecord>>;

  /** @throws ApiError already-exists */
  abstract rename(tx: Tx, place: ApplicationPlace, name: string): Promise<ResourceDetails | undefined>;

  abstract replaceOidc(
    tx: Tx,
    place: ApplicationPlace,
    config: OidcConfig,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined>;

  abstract replaceApi(
    tx: Tx,
    place: ApplicationPlace,
    config: Pick<ApiConfig, 'assertionIssuerOnly'>,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined>;

  /** Into `state` from the other one. To rest raises the token epoch. Undefined when it was not in that other state. */
  abstract setState(
    tx: Tx,
    place: ApplicationPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined>;

  /** With its grants, and so with every token that came from them. */
  abstract remove(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined>;
}
