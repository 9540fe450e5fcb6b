import { Injectable } from '@nestjs/common';
import type { AccessTokenType, AppType, ClientAuthMethod } from '../../domain/clients/application.js';
import {
  type ApiAuthMethod,
  type ApiConfig,
  type ApplicationPlace,
  type ApplicationRecord,
  ApplicationRecordsStore,
  type NewApiApplication,
  type SecretChange,
} from '../../domain/clients/application-records.store.js';
import type { CreatedApplication, OidcConfig } from '../../domain/clients/applications.store.js';
import type { MissedSetting } from '../../domain/clients/missed-setting.js';
import { projectNotFound } from '../../domain/clients/project-not-found.js';
import type { ActivityState } from '../../domain/clients/projects.store.js';
import type { ManagementAccess } from '../../domain/permissions/management-access.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { ApplicationId, ClientId, OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { SigningAlgorithm } from '../../domain/keys/signing-key.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { NAME_TAKEN, originsOf } from './pg-applications.store.js';
import { pageOf, type PageRow, pageStatement, pageValues } from './page-statement.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from './sql.js';

const COLUMNS = `id, org_id, client_id, name, state, kind, app_type, auth_method, response_types, grant_types,
  redirect_uris, post_logout_redirect_uris, additional_origins, origins, access_token_type,
  access_token_role_assertion, id_token_role_assertion, id_token_userinfo_assertion, id_token_algorithm, dev_mode, clock_skew_seconds,
  skip_native_app_success_page, back_channel_logout_uri, assertion_issuer_only, management_access,
  missed_settings, sequence, created_at, changed_at`;
const AT_PLACE = 'org_id = $1 AND project_id = $2 AND id = $3';
const CHANGED = `sequence = sequence + 1, changed_at = app_now() WHERE ${AT_PLACE}`;
const DETAILS = 'RETURNING org_id, sequence, created_at, changed_at';
/** Keeps a secret that is still needed; one that is not goes, with the tokens that it obtained. */
const SECRET = `auth_method = $4,
  client_secret_hash = CASE WHEN $4 LIKE 'client_secret_%' THEN coalesce(client_secret_hash, $5::bytea) END,
  token_epoch = token_epoch
    + CASE WHEN client_secret_hash IS NOT NULL AND $4 NOT LIKE 'client_secret_%' THEN 1 ELSE 0 END`;

const ADD_API = {
  name: 'application-records-add-api',
  text: `
    INSERT INTO applications (id, client_id, org_id, project_id, name, kind, auth_method, client_secret_hash, response_types,
      grant_types, assertion_issuer_only, created_at, changed_at)
    SELECT coalesce($7, new_id()), coalesce($8, new_id()), $1, $2, $3, 'api', $4, $5::bytea, '{}', '{}', $6::boolean, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING id, org_id, client_id, sequence, created_at, changed_at`,
};
const FIND = {
  name: 'application-records-find',
  text: `SELECT ${COLUMNS} FROM applications WHERE ${AT_PLACE}`,
};
const LOCK = {
  name: 'application-records-lock',
  // as in pg-application-access.store.ts, which locks the row after this
  text: `SELECT kind, auth_method FROM applications WHERE ${AT_PLACE} FOR NO KEY UPDATE`,
};
const LIST = pageStatement('application-records-list', {
  select: `SELECT ${COLUMNS} FROM applications WHERE org_id = $7 AND project_id = $8`,
});
const RENAME = {
  name: 'application-records-rename',
  text: `UPDATE applications SET name = $4, ${CHANGED} ${DETAILS}`,
};
const REPLACE_OIDC = {
  name: 'application-records-replace-oidc',
  text: `
    UPDATE applications SET ${SECRET}, app_type = $6, response_types = $7, grant_types = $8, redirect_uris = $9,
      post_logout_redirect_uris = $10, additional_origins = $11, origins = $12, access_token_type = $13,
      access_token_role_assertion = $14, id_token_role_assertion = $15, id_token_userinfo_assertion = $16,
      dev_mode = $17, clock_skew_seconds = $18, skip_native_app_success_page = $19, back_channel_logout_uri = $20,
      assertion_issuer_only = $21, id_token_algorithm = $22,
      ${CHANGED} AND kind = 'oidc' ${DETAILS}`,
};
const REPLACE_API = {
  name: 'application-records-replace-api',
  text: `UPDATE applications SET ${SECRET}, assertion_issuer_only = $6, ${CHANGED} AND kind = 'api' ${DETAILS}`,
};
const SET_STATE = {
  name: 'application-records-set-state',
  text: `
    UPDATE applications SET state = $4,
      token_epoch = token_epoch + CASE WHEN $4 = 'inactive' THEN 1 ELSE 0 END,
      grant_epoch = grant_epoch + CASE WHEN $4 = 'inactive' THEN 1 ELSE 0 END, ${CHANGED} AND state <> $4 ${DETAILS}`,
};
const REMOVE = {
  name: 'application-records-remove',
  text: `
    DELETE FROM applications WHERE ${AT_PLACE}
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};

type RecordRow = ResourceRow & {
  id: ApplicationId;
  client_id: ClientId;
  name: string;
  state: ActivityState;
  kind: 'oidc' | 'api';
  app_type: AppType;
  auth_method: ClientAuthMethod;
  response_types: string[];
  grant_types: string[];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  additional_origins: string[];
  origins: string[];
  access_token_type: AccessTokenType;
  id_token_algorithm: SigningAlgorithm | null;
  access_token_role_assertion: boolean;
  id_token_role_assertion: boolean;
  id_token_userinfo_assertion: boolean;
  dev_mode: boolean;
  clock_skew_seconds: number;
  skip_native_app_success_page: boolean;
  back_channel_logout_uri: string | null;
  assertion_issuer_only: boolean;
  management_access: ManagementAccess;
  missed_settings: MissedSetting[];
};

@Injectable()
export class PgApplicationRecordsStore extends ApplicationRecordsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async addApi(tx: Tx, application: NewApiApplication): Promise<CreatedApplication> {
    const { orgId, projectId, name, authMethod, clientSecretHash, assertionIssuerOnly } = application;
    const { id, clientId } = application;
    const values = [
      orgId,
      projectId,
      name,
      authMethod,
      clientSecretHash,
      assertionIssuerOnly,
      id ?? null,
      clientId ?? null,
    ];
    const added = mapUniqueViolations(this.sql.row<RecordRow>(ADD_API, values, tx), NAME_TAKEN);
    const row = await mapMissingReferences(added, { applications_project: projectNotFound });
    if (row === undefined) throw new Error('no application was added');
    return { id: row.id, clientId: row.client_id, details: detailsOf(row) };
  }

  override async find(place: ApplicationPlace): Promise<ApplicationRecord | undefined> {
    const row = await this.sql.row<RecordRow>(FIND, valuesOf(place));
    return row && toRecord(row);
  }

  override async lock(tx: Tx, place: ApplicationPlace) {
    const row = await this.sql.row<Pick<RecordRow, 'kind' | 'auth_method'>>(LOCK, valuesOf(place), tx);
    return row && { kind: row.kind, authMethod: row.auth_method };
  }

  override async list(
    orgId: OrgId,
    projectId: ProjectId,
    query: PageQuery,
  ): Promise<Page<ApplicationRecord>> {
    const rows = await this.sql.rows<PageRow<RecordRow>>(LIST, [...pageValues(query), orgId, projectId]);
    return pageOf(rows, toRecord);
  }

  override async rename(tx: Tx, place: ApplicationPlace, name: string): Promise<ResourceDetails | undefined> {
    const renamed = this.sql.row<ResourceRow>(RENAME, [...valuesOf(place), name], tx);
    const row = await mapUniqueViolations(renamed, NAME_TAKEN);
    return row && detailsOf(row);
  }

  override async replaceOidc(
    tx: Tx,
    place: ApplicationPlace,
    config: OidcConfig,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined> {
    const values = [
      ...valuesOf(place),
      secret.authMethod,
      secret.firstSecretHash,
      config.appType,
      config.responseTypes,
      config.grantTypes,
      config.redirectUris,
      config.postLogoutRedirectUris,
      config.additionalOrigins,
      originsOf(config),
      config.accessTokenType,
      config.accessTokenRoleAssertion,
      config.idTokenRoleAssertion,
      config.idTokenUserinfoAssertion,
      config.devMode,
      config.clockSkewSeconds,
      config.skipNativeAppSuccessPage,
      config.backChannelLogoutUri,
      config.assertionIssuerOnly,
      config.idTokenAlgorithm ?? null,
    ];
    const row = await this.sql.row<ResourceRow>(REPLACE_OIDC, values, tx);
    return row && detailsOf(row);
  }

  override async replaceApi(
    tx: Tx,
    place: ApplicationPlace,
    { assertionIssuerOnly }: Pick<ApiConfig, 'assertionIssuerOnly'>,
    { authMethod, firstSecretHash }: SecretChange,
  ): Promise<ResourceDetails | undefined> {
    const values = [...valuesOf(place), authMethod, firstSecretHash, assertionIssuerOnly];
    const row = await this.sql.row<ResourceRow>(REPLACE_API, values, tx);
    return row && detailsOf(row);
  }

  override async setState(
    tx: Tx,
    place: ApplicationPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(SET_STATE, [...valuesOf(place), state], tx);
    return row && detailsOf(row);
  }

  override async remove(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, valuesOf(place), tx);
    return row && detailsOf(row);
  }
}

function valuesOf({ orgId, projectId, id }: ApplicationPlace): unknown[] {
  return [orgId, projectId, id];
}

function toRecord(row: RecordRow): ApplicationRecord {
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    state: row.state,
    details: detailsOf(row),
    is:
      row.kind === 'api'
        ? {
            kind: 'api',
            authMethod: row.auth_method as ApiAuthMethod,
            assertionIssuerOnly: row.assertion_issuer_only,
          }
        : { kind: 'oidc', config: toConfig(row), origins: row.origins, missed: row.missed_settings },
  };
}

function toConfig(row: RecordRow): OidcConfig {
  return {
    appType: row.app_type,
    authMethod: row.auth_method,
    responseTypes: row.response_types,
    grantTypes: row.grant_types,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    additionalOrigins: row.additional_origins,
    accessTokenType: row.access_token_type,
    accessTokenRoleAssertion: row.access_token_role_assertion,
    idTokenRoleAssertion: row.id_token_role_assertion,
    idTokenUserinfoAssertion: row.id_token_userinfo_assertion,
    ...(row.id_token_algorithm && { idTokenAlgorithm: row.id_token_algorithm }),
    devMode: row.dev_mode,
    clockSkewSeconds: row.clock_skew_seconds,
    skipNativeAppSuccessPage: row.skip_native_app_success_page,
    backChannelLogoutUri: row.back_channel_logout_uri,
    assertionIssuerOnly: row.assertion_issuer_only,
    managementAccess: row.management_access,
  };
}
