// SQL by hand: one statement reads an application's access to our own APIs with the roles of whoever gave it; every
// authorization for these APIs runs it. What the OAuth endpoints look up is in client-lookup.ts
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { IsNull, Not, type EntityManager } from 'typeorm';
import {
  applicationNotFound,
  type Application,
  type BrowserApplication,
  type MissedSetting,
} from '../../../domain/applications/application.js';
import {
  ApplicationsStore,
  type AccessGrant,
  type ApplicationCredentials,
  type ApplicationKey,
  type ApplicationPlace,
  type ApplicationRecord,
  type ApplicationType,
  type CertificateRules,
  type CreatedApplication,
  type LiveKey,
  type NewApiApplication,
  type NewOidcApplication,
  type OwnKey,
  type SecretChange,
} from '../../../domain/applications/applications.store.js';
import { FrontChannelLogoutSettings, type FrontChannel } from '../../../domain/applications/front-channel.js';
import {
  apiConfigSchema,
  oidcConfigSchema,
  type ApiConfig,
  type OidcConfig,
} from '../../../domain/applications/oidc-config.js';
import { sectorOf } from '../../../domain/applications/sector-identifier.js';
import type { TlsSubject } from '../../../domain/applications/tls-subject.js';
import { ClientRegistrationSettings } from '../../../domain/client-registration/client-registration-settings.js';
import type { GivenAccess } from '../../../domain/permissions/management-access.js';
import { projectNotFound } from '../../../domain/projects/project-not-found.js';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import { NEVER } from '../../../domain/shared/expiry.js';
import type {
  ApplicationId,
  ApplicationKeyId,
  OrgId,
  ProjectId,
  SessionId,
} from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { is } from '../page-statement.js';
import { grantorRoles } from '../permissions/giver-roles.js';
import { Query, selecting } from '../query.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapMissingReferences, mapUniqueViolations, Sql } from '../sql.js';
import type { Row } from '../statement.js';
import { columns, CountedTable, detailsOf, PagedTable, pick, raised, type Changes } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ClientRegistrationEntity } from '../tables/client-registration.entity.js';
import { ClientLookup } from './client-lookup.js';
import {
  FIND_CERTIFICATE_RULES,
  FIND_LIVE_KEY,
  keyOf,
  keyQueries,
  type LiveKeyRow,
} from './key-statements.js';

const OIDC_FIELDS = Object.keys(oidcConfigSchema.shape) as (keyof OidcConfig)[];
const API_FIELDS = Object.keys(apiConfigSchema.shape) as (keyof ApiConfig)[];

const IS_TAKEN = () => new ApiError('already-exists', 'Application already exists', 'V3-DKcYh');
const TAKEN = {
  applications_pkey: IS_TAKEN,
  applications_client_id: () => new ApiError('already-exists', 'Client already exists', 'V3-DKcYh'),
  applications_name_in_project: IS_TAKEN,
};

const SELECT_ACCESS = `
  SELECT ${columns(ApplicationEntity, 'a', ['orgId', 'firstParty'])}, a.management_access AS access,
    ${grantorRoles('a')} AS "grantorRoles"
  FROM applications a WHERE a.id = $1`;
const FIND_ACCESS = { name: 'applications-find-access', text: SELECT_ACCESS };
const LOCK_ACCESS = {
  name: 'applications-lock-access',
  // not FOR UPDATE, which could deadlock with an authorization being opened: it refers to the row, and has locked the consent
  text: `${SELECT_ACCESS} FOR NO KEY UPDATE OF a`,
};
type AccessRow = GivenAccess & Row;

type ExpiryRow = Pick<ClientRegistrationEntity, 'applicationId' | 'expiresAt'>;

/** Without the logo, which is in the same row. */
function expiriesOfClients(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ClientRegistrationEntity, 'r'), [
    'applicationId',
    'expiresAt',
  ]).where('r.applicationId = ANY (:ids)');
}

const KEY_TAKEN = {
  application_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
};

@Injectable()
export class PgApplicationsStore extends ApplicationsStore {
  private readonly rows: CountedTable<ApplicationEntity>;
  private readonly pages: PagedTable<ApplicationEntity>;
  private readonly keys: CountedTable<ApplicationKeyEntity>;
  private readonly keyQueries: ReturnType<typeof keyQueries>;
  private readonly expiries: Query<ExpiryRow, { ids: readonly ApplicationId[] }>;
  private readonly clients: ClientLookup;

  constructor(
    private readonly sql: Sql,
    registration: ClientRegistrationSettings,
    frontChannel: FrontChannelLogoutSettings,
  ) {
    super();
    this.rows = new CountedTable(sql, ApplicationEntity);
    this.pages = new PagedTable(sql, 'applications-list', ApplicationEntity, ['orgId', 'projectId'], {
      filters: {
        state: is('state'),
        // an API has no application type
        type: (type) => `CASE WHEN "type" = 'api' THEN 'api' ELSE "appType" END = ${type}::text`,
      },
    });
    this.keys = new CountedTable(sql, ApplicationKeyEntity);
    this.keyQueries = keyQueries(sql);
    this.expiries = new Query(sql, 'applications-find-expiries', expiriesOfClients);
    this.clients = new ClientLookup(sql, registration, frontChannel);
  }

  override findClient(clientId: string): Promise<Application | undefined> {
    return this.clients.find(clientId);
  }

  override findBrowserClient(clientId: string): Promise<BrowserApplication | undefined> {
    return this.clients.findForBrowser(clientId);
  }

  override findBrowserApplication(id: ApplicationId): Promise<BrowserApplication | undefined> {
    return this.clients.findForBrowserById(id);
  }

  override isOriginRegistered(origin: string): Promise<boolean> {
    return this.clients.isOriginRegistered(origin);
  }

  override isOriginOfClient(clientId: string, origin: string): Promise<boolean> {
    return this.clients.isOriginOfClient(clientId, origin);
  }

  override listFrontChannels(sessionIds: readonly SessionId[]): Promise<readonly FrontChannel[]> {
    return this.clients.listFrontChannels(sessionIds);
  }

  override addMissedSetting(id: ApplicationId, setting: MissedSetting): Promise<void> {
    return this.clients.addMissedSetting(id, setting);
  }

  override async add(
    tx: Tx,
    type: ApplicationType,
    application: NewOidcApplication | NewApiApplication,
  ): Promise<CreatedApplication> {
    const { id, clientId, orgId, projectId, name, clientSecretHash } = application;
    const values: Changes<ApplicationEntity> = {
      ...(id !== undefined && { id }),
      ...(clientId !== undefined && { clientId }),
      orgId,
      projectId,
      name,
      clientSecretHash,
      type,
      ...columnsOf(application, orgId),
      ...('redirectUris' in application
        ? { ...accessOf(application), ...registrationOf(application) }
        : NO_GRANTS),
    };
    const added = mapUniqueViolations(this.rows.add(tx, values), TAKEN);
    const row = await mapMissingReferences(added, { applications_project: projectNotFound });
    return { id: row.id, clientId: row.clientId, details: detailsOf(row) };
  }

  override async find(place: ApplicationPlace, tx?: Tx): Promise<ApplicationRecord | undefined> {
    const row = await this.rows.find(place, tx);
    return row && (await this.withExpiries([recordOf(row)], tx))[0];
  }

  override async list(
    orgId: OrgId,
    projectId: ProjectId,
    query: PageQuery,
  ): Promise<Page<ApplicationRecord>> {
    const page = await this.pages.list(query, { orgId, projectId }, recordOf);
    return { ...page, items: await this.withExpiries(page.items) };
  }

  /** Adds when unused registered clients expire; those that are inactive or have access to the APIs do not (`removals.ts`). */
  private async withExpiries(
    records: readonly ApplicationRecord[],
    tx?: Tx,
  ): Promise<readonly ApplicationRecord[]> {
    const going = records.filter(
      (record) =>
        record.type === 'oidc' &&
        record.registration !== null &&
        record.state === 'active' &&
        record.config.managementAccess === 'none',
    );
    if (going.length === 0) return records;
    const ids = going.map(({ id }) => id);
    const rows = await this.expiries.rows({ ids }, tx);
    const expiries = new Map(rows.map(({ applicationId, expiresAt }) => [applicationId, expiresAt]));
    return records.map((record) =>
      record.type === 'oidc' && expiries.has(record.id)
        ? { ...record, registrationExpiresAt: expiries.get(record.id) }
        : record,
    );
  }

  override async findByName(
    tx: Tx,
    projectId: ProjectId,
    name: string,
  ): Promise<ApplicationCredentials | undefined> {
    const row = await this.rows.find({ projectId, name, registration: IsNull() }, tx);
    return row && credentialsOf(row);
  }

  override async lock(tx: Tx, place: ApplicationPlace): Promise<ApplicationCredentials | undefined> {
    const row = await this.rows.find(place, tx, 'lock');
    return row && credentialsOf(row);
  }

  override async rename(tx: Tx, place: ApplicationPlace, name: string): Promise<ResourceDetails | undefined> {
    return await mapUniqueViolations(this.rows.changeOne(tx, place, { name }), TAKEN);
  }

  override async replaceConfig(
    tx: Tx,
    place: ApplicationPlace,
    config: OidcConfig | ApiConfig,
    { hash, endsTokens, endsAuthorizations }: SecretChange,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, place, {
      ...columnsOf(config, place.orgId),
      clientSecretHash: hash,
      ...(endsTokens && { tokenEpoch: raised(ApplicationEntity, 'tokenEpoch') }),
      ...(endsAuthorizations && { authorizationEpoch: raised(ApplicationEntity, 'authorizationEpoch') }),
    });
  }

  override async setSecret(tx: Tx, id: ApplicationId, clientSecretHash: Buffer): Promise<ResourceDetails> {
    const tokenEpoch = raised(ApplicationEntity, 'tokenEpoch');
    const details = await this.rows.changeOne(tx, { id }, { clientSecretHash, tokenEpoch });
    if (details === undefined) throw new Error(`there is no application ${id}`);
    return details;
  }

  override async noteChange(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(tx, place, {});
  }

  override async setState(
    tx: Tx,
    place: ApplicationPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined> {
    return await this.rows.changeOne(
      tx,
      { ...place, state: Not(state) },
      {
        state,
        ...(state === 'inactive' && {
          tokenEpoch: raised(ApplicationEntity, 'tokenEpoch'),
          authorizationEpoch: raised(ApplicationEntity, 'authorizationEpoch'),
        }),
      },
    );
  }

  override async remove(tx: Tx, place: ApplicationPlace): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, place);
  }

  override async findAccess(id: ApplicationId, tx?: Tx): Promise<GivenAccess | undefined> {
    return await (tx === undefined
      ? this.sql.pipelined<AccessRow>(FIND_ACCESS, [id])
      : this.sql.row<AccessRow>(FIND_ACCESS, [id], tx));
  }

  override async lockAccess(tx: Tx, id: ApplicationId): Promise<GivenAccess | undefined> {
    return await this.sql.row<AccessRow>(LOCK_ACCESS, [id], tx);
  }

  override async setAccess(
    tx: Tx,
    id: ApplicationId,
    { access, givenBy }: AccessGrant,
  ): Promise<ResourceDetails> {
    const gift = accessOf({ managementAccess: access, accessGivenBy: givenBy });
    const details = await this.rows.changeOne(tx, { id }, gift);
    if (details === undefined) throw new Error(`there is no application ${id}`);
    return details;
  }

  override async addKey(
    tx: Tx,
    { orgId, id: applicationId }: ApplicationPlace,
    publicJwk: JWK,
    expiresAt: Date,
    id?: ApplicationKeyId,
  ): Promise<ApplicationKey> {
    await requireOwnedCapacity(this.sql, tx, 'application_keys', orgId, applicationId);
    const values = { ...(id !== undefined && { id }), orgId, applicationId, publicJwk, expiresAt };
    const added = mapUniqueViolations(this.keys.add(tx, values), KEY_TAKEN);
    return keyOf(await added);
  }

  override async replaceOwnKeys(
    tx: Tx,
    { orgId, projectId, id: applicationId }: ApplicationPlace,
    keys: readonly OwnKey[],
  ): Promise<void> {
    const place = { orgId, projectId, id: applicationId };
    if ((await this.rows.find(place, tx, 'lock')) === undefined) throw applicationNotFound();
    const own = { orgId, applicationId, clientKid: Not(IsNull()) };
    const before = await this.keys.list(own, { id: 'ASC' }, tx);
    const isKept = (row: ApplicationKeyEntity): boolean =>
      keys.some(({ kid, publicJwk }) => kid === row.clientKid && isDeepStrictEqual(publicJwk, row.publicJwk));
    await this.keys.removeAll(tx, own);
    for (const { kid: clientKid, publicJwk } of keys) {
      await this.keys.add(tx, { orgId, applicationId, clientKid, publicJwk, expiresAt: NEVER });
    }
    if (!before.every(isKept)) {
      await this.rows.change(tx, place, { tokenEpoch: raised(ApplicationEntity, 'tokenEpoch') });
    }
  }

  override async listOwnKeys({ orgId, id: applicationId }: ApplicationPlace): Promise<readonly OwnKey[]> {
    const rows = await this.keys.list(
      { orgId, applicationId, clientKid: Not(IsNull()) },
      { clientKid: 'ASC' },
    );
    return rows.map(({ clientKid, publicJwk }) => ({ kid: clientKid ?? '', publicJwk: publicJwk as JWK }));
  }

  override async setAllowedScopes(tx: Tx, id: ApplicationId, scopes: readonly string[]): Promise<void> {
    await this.rows.change(tx, { id }, { allowedScopes: [...scopes] });
  }

  override async hasKeys(tx: Tx, { orgId, id: applicationId }: ApplicationPlace): Promise<boolean> {
    return (await this.keys.find({ orgId, applicationId }, tx)) !== undefined;
  }

  override async findKey(
    place: ApplicationPlace,
    keyId: ApplicationKeyId,
  ): Promise<ApplicationKey | undefined> {
    const row = await this.keyQueries.find.row({ ...place, keyId });
    return row && keyOf(row);
  }

  override async listKeys(place: ApplicationPlace, query: PageQuery): Promise<Page<ApplicationKey>> {
    return await this.keyQueries.list.list(query, place, keyOf);
  }

  override async removeKey(
    tx: Tx,
    { orgId, projectId, id: applicationId }: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined> {
    const place = { orgId, projectId, id: applicationId };
    // a concurrent removal of the same key waits here; the epoch is raised only by the one that deletes it
    if ((await this.rows.find(place, tx, 'lock')) === undefined) return undefined;
    const details = await this.keys.removeOne(tx, { orgId, applicationId, id });
    if (details !== undefined) {
      await this.rows.change(tx, place, { tokenEpoch: raised(ApplicationEntity, 'tokenEpoch') });
    }
    return details;
  }

  override async findLiveKey(clientId: string, keyId: string): Promise<LiveKey | undefined> {
    const row = await this.sql.pipelined<LiveKeyRow>(FIND_LIVE_KEY, [clientId, keyId]);
    if (row === undefined) return undefined;
    const { public_jwk: publicJwk, jwks_uri: jwksUri, org_id: orgId, registration } = row;
    return jwksUri === null ? { publicJwk } : { jwksUri, orgId, registration };
  }

  override async findCertificateRules(
    clientId: string,
    publicJwk: JWK | null,
  ): Promise<CertificateRules | undefined> {
    const values = [clientId, publicJwk && JSON.stringify(publicJwk)];
    const row = await this.sql.pipelined<TlsSubject & { hasKey: boolean | null }>(
      FIND_CERTIFICATE_RULES,
      values,
    );
    if (row === undefined) return undefined;
    const { hasKey, ...subject } = row;
    return { subject, hasKey: hasKey === true };
  }
}

/** APIs have no response types and grant types. */
const NO_GRANTS = { responseTypes: [], grantTypes: [] };

function accessOf({
  managementAccess = 'none',
  accessGivenBy = null,
}: Pick<NewOidcApplication, 'managementAccess' | 'accessGivenBy'>) {
  return {
    managementAccess,
    accessGivenBy,
    // created by bootstrap, so that nobody gave the access
    firstParty: managementAccess !== 'none' && accessGivenBy === null,
  };
}

function registrationOf({ registration, allowedScopes }: NewOidcApplication) {
  return {
    registration: registration ?? null,
    allowedScopes: allowedScopes === undefined ? null : [...allowedScopes],
  };
}

/** The columns of a configuration, without the access to our APIs, which is changed separately. */
function columnsOf(config: OidcConfig | ApiConfig, orgId: OrgId): Changes<ApplicationEntity> {
  if (!('redirectUris' in config)) return pick(config, API_FIELDS);
  const { managementAccess: _, ...columns } = pick(config, OIDC_FIELDS);
  return {
    ...(columns as Changes<ApplicationEntity>),
    origins: originsOf(config),
    pairwiseSector: sectorOf(config, orgId),
  };
}

/** Origins are registered explicitly, or by redirect URIs; a custom scheme has no origin. */
function originsOf({ redirectUris, additionalOrigins }: OidcConfig): string[] {
  const ofRedirects = redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin);
  return [...new Set([...additionalOrigins, ...ofRedirects])];
}

function recordOf(row: ApplicationEntity): ApplicationRecord {
  const { id, clientId, name, state, type, origins, missedSettings, registration, allowedScopes } = row;
  const record = { id, clientId, name, state, details: detailsOf(row) };
  return type === 'api'
    ? { ...record, type, config: pick(row, API_FIELDS) as ApiConfig }
    : {
        ...record,
        type,
        config: pick(row, OIDC_FIELDS),
        origins,
        missedSettings,
        registration,
        allowedScopes,
      };
}

function credentialsOf(row: ApplicationEntity): ApplicationCredentials {
  return pick(row, [
    'id',
    'clientId',
    'type',
    'authMethod',
    'clientSecretHash',
    'jwksUri',
    'securityProfile',
    'pairwiseSector',
  ]);
}
