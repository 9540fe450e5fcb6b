import { Injectable } from '@nestjs/common';
import type {
  AccessTokenType,
  AppType,
  Application,
  BrowserApplication,
  ClientAuthMethod,
} from '../../domain/clients/application.js';
import {
  ApplicationsStore,
  type CreatedApplication,
  type NamedApplication,
  type NewOidcApplication,
  type OidcConfig,
} from '../../domain/clients/applications.store.js';
import type { MissedSetting } from '../../domain/clients/missed-setting.js';
import { projectNotFound } from '../../domain/clients/project-not-found.js';
import type { OrganizationLook } from '../../domain/orgs/organization-look.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { SigningAlgorithm } from '../../domain/keys/signing-key.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Batched } from './batched.js';
import { clientEpoch } from './epochs.js';
import { LIFETIME_COLUMNS, lifetimeJoins } from './lifetime-columns.js';
import { LOOK_COLUMN, LOOK_JOIN } from './look-column.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from './sql.js';

const CLIENT_COLUMNS = `
  a.id, a.org_id, a.project_id, a.client_id, a.name,
  a.state = 'active' AND p.state = 'active' AND o.state = 'active' AS active,
  a.auth_method, a.client_secret_hash, a.grant_types, a.access_token_type, a.id_token_userinfo_assertion,
  a.id_token_algorithm,
  a.access_token_role_assertion, a.id_token_role_assertion, p.project_role_assertion, p.project_role_check,
  p.has_project_check, a.clock_skew_seconds, ${clientEpoch('o')} AS token_epoch, a.assertion_issuer_only,
  a.back_channel_logout_uri IS NOT NULL AS back_channel_logout,
  ${LIFETIME_COLUMNS}`;
const BROWSER_COLUMNS = `${CLIENT_COLUMNS}, ${LOOK_COLUMN}, a.app_type, a.dev_mode, a.response_types,
  a.redirect_uris, a.post_logout_redirect_uris, a.missed_settings`;
const FROM = `
  FROM applications a
  JOIN projects p ON p.org_id = a.org_id AND p.id = a.project_id
  JOIN organizations o ON o.id = a.org_id${lifetimeJoins('a.org_id')}`;

/** Clients that one statement looks up. */
const LARGEST_BATCH = 50;

// one JSON column, for the same reason as SUBJECT_COLUMN: every token request asks this
const FIND_CLIENTS = {
  name: 'applications-find-clients',
  text: `SELECT to_json(c) AS client FROM (SELECT ${CLIENT_COLUMNS} ${FROM} WHERE a.client_id = ANY ($1)) c`,
};
const FIND_BROWSER_CLIENT = {
  name: 'applications-find-browser-client',
  text: `SELECT ${BROWSER_COLUMNS} ${FROM} ${LOOK_JOIN} WHERE a.client_id = $1`,
};
const FIND_BROWSER_APPLICATION = {
  name: 'applications-find-browser-application',
  text: `SELECT ${BROWSER_COLUMNS} ${FROM} ${LOOK_JOIN} WHERE a.id = $1`,
};

const ACTIVE = `a.state = 'active' AND p.state = 'active' AND o.state = 'active'`;

const IS_ORIGIN_REGISTERED = {
  name: 'applications-is-origin-registered',
  text: `SELECT EXISTS (SELECT ${FROM} WHERE a.origins @> ARRAY[$1::text] AND ${ACTIVE}) AS found`,
};
const IS_ORIGIN_OF_CLIENT = {
  name: 'applications-is-origin-of-client',
  text: `SELECT EXISTS (SELECT ${FROM} WHERE a.client_id = $2 AND a.origins @> ARRAY[$1::text] AND ${ACTIVE}) AS found`,
};

const ADD = {
  name: 'applications-add',
  text: `
    INSERT INTO applications (id, client_id, org_id, project_id, name, kind, app_type, auth_method, client_secret_hash,
      response_types, grant_types, redirect_uris, post_logout_redirect_uris, additional_origins, access_token_type,
      access_token_role_assertion, id_token_role_assertion, id_token_userinfo_assertion, dev_mode,
      clock_skew_seconds, skip_native_app_success_page, back_channel_logout_uri, origins,
      assertion_issuer_only, id_token_algorithm, management_access, access_given_by, first_party, created_at,
      changed_at)
    SELECT coalesce($22, new_id()), coalesce($24, new_id()), $1, $2, $3, 'oidc', $4, $5, $6::bytea, $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12,
      $13::boolean, $14::boolean, $15::boolean, $16::boolean, $17::integer, $18::boolean, $19, $20::text[],
      $21::boolean, $23, $25::text, $26::text, $25::text <> 'none' AND $26::text IS NULL, now, now
    FROM (SELECT app_now() AS now) AS moment
    RETURNING id, org_id, client_id, sequence, created_at, changed_at`,
};

const FIND_BY_NAME = {
  name: 'applications-find-by-name',
  text: `SELECT id, client_id, client_secret_hash FROM applications WHERE project_id = $1 AND name = $2`,
};

const SET_SECRET = {
  name: 'applications-set-secret',
  text: `
    UPDATE applications SET client_secret_hash = $2, token_epoch = token_epoch + 1, sequence = sequence + 1,
      changed_at = app_now()
    WHERE id = $1 RETURNING org_id, sequence, created_at, changed_at`,
};

// no change of the application: nobody has decided anything, and its sequence stays
const ADD_MISSED_SETTING = {
  name: 'applications-add-missed-setting',
  text: `
    UPDATE applications SET missed_settings = array_append(missed_settings, $2)
    WHERE id = $1 AND NOT missed_settings @> ARRAY[$2::text]`,
};

type ClientRow = {
  id: ApplicationId;
  org_id: OrgId;
  project_id: ProjectId;
  client_id: ClientId;
  name: string;
  active: boolean;
  auth_method: ClientAuthMethod;
  client_secret_hash: Buffer | null;
  grant_types: string[];
  access_token_type: AccessTokenType;
  id_token_algorithm: SigningAlgorithm | null;
  id_token_userinfo_assertion: boolean;
  access_token_role_assertion: boolean;
  id_token_role_assertion: boolean;
  project_role_assertion: boolean;
  project_role_check: boolean;
  has_project_check: boolean;
  clock_skew_seconds: number;
  token_epoch: number;
  assertion_issuer_only: boolean;
  back_channel_logout: boolean;
  access_token_seconds: number | null;
  id_token_seconds: number | null;
  refresh_idle_seconds: number | null;
  refresh_absolute_seconds: number | null;
};

type ClientJson = Omit<ClientRow, 'client_secret_hash'> & { client_secret_hash: string | null };

type BrowserClientRow = ClientRow & {
  look: OrganizationLook;
  app_type: AppType;
  dev_mode: boolean;
  response_types: string[];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  missed_settings: MissedSetting[];
};

/** An origin is registered by name, or by a redirect URI on it; a custom scheme has none. */
export function originsOf({ redirectUris, additionalOrigins }: OidcConfig): string[] {
  const ofRedirects = redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin);
  return [...new Set([...additionalOrigins, ...ofRedirects])];
}

function toApplication(row: ClientRow): Application {
  return {
    id: row.id,
    orgId: row.org_id,
    projectId: row.project_id,
    clientId: row.client_id,
    name: row.name,
    active: row.active,
    authMethod: row.auth_method,
    clientSecretHash: row.client_secret_hash,
    grantTypes: row.grant_types,
    accessTokenType: row.access_token_type,
    idTokenUserinfoAssertion: row.id_token_userinfo_assertion,
    ...(row.id_token_algorithm && { idTokenAlgorithm: row.id_token_algorithm }),
    accessTokenRoleAssertion: row.access_token_role_assertion,
    idTokenRoleAssertion: row.id_token_role_assertion,
    project: {
      assertsRoles: row.project_role_assertion,
      requiresRole: row.project_role_check,
      requiresProject: row.has_project_check,
    },
    clockSkewSeconds: row.clock_skew_seconds,
    tokenEpoch: row.token_epoch,
    assertionIssuerOnly: row.assertion_issuer_only,
    backChannelLogout: row.back_channel_logout,
    lifetimes: {
      accessTokenSeconds: row.access_token_seconds ?? undefined,
      idTokenSeconds: row.id_token_seconds ?? undefined,
      refreshIdleSeconds: row.refresh_idle_seconds ?? undefined,
      refreshAbsoluteSeconds: row.refresh_absolute_seconds ?? undefined,
    },
  };
}

function toClient(client: ClientJson): Application {
  const { client_secret_hash: hash } = client;
  // bytea in JSON is its hex form, `\\x…`
  return toApplication({
    ...client,
    client_secret_hash: hash === null ? null : Buffer.from(hash.slice(2), 'hex'),
  });
}

function toBrowserApplication(row: BrowserClientRow): BrowserApplication {
  return {
    ...toApplication(row),
    organization: row.look,
    appType: row.app_type,
    devMode: row.dev_mode,
    responseTypes: row.response_types,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    missedSettings: row.missed_settings,
  };
}

export const NAME_TAKEN = {
  applications_pkey: () => new ApiError('already-exists', 'Application already exists', 'V3-DKcYh'),
  applications_client_id: () => new ApiError('already-exists', 'Client already exists', 'V3-DKcYh'),
  applications_name_in_project: () =>
    new ApiError('already-exists', 'Application already exists', 'V3-DKcYh'),
};

@Injectable()
export class PgApplicationsStore extends ApplicationsStore {
  private readonly clients = new Batched<string, Application | undefined>(
    (clientIds) => this.findClients(clientIds),
    LARGEST_BATCH,
  );

  constructor(private readonly sql: Sql) {
    super();
  }

  override findClient(clientId: string): Promise<Application | undefined> {
    return this.clients.ask(clientId);
  }

  override async findBrowserClient(clientId: string): Promise<BrowserApplication | undefined> {
    const row = await this.sql.row<BrowserClientRow>(FIND_BROWSER_CLIENT, [clientId]);
    return row && toBrowserApplication(row);
  }

  override async findBrowserApplication(id: ApplicationId): Promise<BrowserApplication | undefined> {
    const row = await this.sql.row<BrowserClientRow>(FIND_BROWSER_APPLICATION, [id]);
    return row && toBrowserApplication(row);
  }

  override async isOriginRegistered(origin: string): Promise<boolean> {
    return (await this.sql.row<{ found: boolean }>(IS_ORIGIN_REGISTERED, [origin]))?.found === true;
  }

  override async isOriginOfClient(clientId: string, origin: string): Promise<boolean> {
    return (await this.sql.row<{ found: boolean }>(IS_ORIGIN_OF_CLIENT, [origin, clientId]))?.found === true;
  }

  override async add(tx: Tx, application: NewOidcApplication): Promise<CreatedApplication> {
    const values = [
      application.orgId,
      application.projectId,
      application.name,
      application.appType,
      application.authMethod,
      application.clientSecretHash,
      application.responseTypes,
      application.grantTypes,
      application.redirectUris,
      application.postLogoutRedirectUris,
      application.additionalOrigins,
      application.accessTokenType,
      application.accessTokenRoleAssertion,
      application.idTokenRoleAssertion,
      application.idTokenUserinfoAssertion,
      application.devMode,
      application.clockSkewSeconds,
      application.skipNativeAppSuccessPage,
      application.backChannelLogoutUri,
      originsOf(application),
      application.assertionIssuerOnly,
      application.id ?? null,
      application.idTokenAlgorithm ?? null,
      application.clientId ?? null,
      application.managementAccess ?? 'none',
      application.accessGivenBy ?? null,
    ];
    const added = mapUniqueViolations(
      this.sql.row<ResourceRow & { id: ApplicationId; client_id: ClientId }>(ADD, values, tx),
      NAME_TAKEN,
    );
    const row = await mapMissingReferences(added, { applications_project: projectNotFound });
    if (row === undefined) throw new Error('no application was added');
    return { id: row.id, clientId: row.client_id, details: detailsOf(row) };
  }

  override async addMissedSetting(id: ApplicationId, setting: MissedSetting): Promise<void> {
    await this.sql.change(ADD_MISSED_SETTING, [id, setting]);
  }

  override async findByName(
    tx: Tx,
    projectId: ProjectId,
    name: string,
  ): Promise<NamedApplication | undefined> {
    type NamedRow = Pick<ClientRow, 'id' | 'client_id' | 'client_secret_hash'>;
    const row = await this.sql.row<NamedRow>(FIND_BY_NAME, [projectId, name], tx);
    return row && { id: row.id, clientId: row.client_id, clientSecretHash: row.client_secret_hash };
  }

  override async setSecret(tx: Tx, id: ApplicationId, secretHash: Buffer): Promise<ResourceDetails> {
    const row = await this.sql.row<ResourceRow>(SET_SECRET, [id, secretHash], tx);
    if (row === undefined) throw new Error(`there is no application ${id}`);
    return detailsOf(row);
  }

  /** Requests of one client that arrive together share one row; it is read after all of them have arrived. */
  private async findClients(clientIds: readonly string[]): Promise<readonly (Application | undefined)[]> {
    const rows = await this.sql.quickRows<{ client: ClientJson }>(FIND_CLIENTS, [[...new Set(clientIds)]]);
    const found = new Map(rows.map(({ client }) => [client.client_id as string, toClient(client)]));
    return clientIds.map((clientId) => found.get(clientId));
  }
}
