// SQL by hand: logos, metadata and the last use change by conditional UPDATEs
import { Injectable } from '@nestjs/common';
import { IsNull, Not, type EntityManager } from 'typeorm';
import {
  ClientRegistrationsStore,
  type ClientLogo,
  type InformationalMetadata,
  type NewClientRegistration,
  type StoredDocument,
  type StoredRegistration,
} from '../../../domain/client-registration/client-registrations.store.js';
import type { Logo, LogoName } from '../../../domain/policies/logo.js';
import type { ApplicationId, OrgId, ProjectId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ClientRegistrationEntity } from '../tables/client-registration.entity.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';

/** A client that registered itself, with the registration access token that it sent. */
function registrationByToken(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ApplicationEntity, 'a'), [
    'orgId',
    'projectId',
    'id',
    'registration',
  ])
    .addSelect('r.metadata', 'metadata')
    .addSelect('r.createdAt', 'registeredAt')
    .innerJoin(ClientRegistrationEntity, 'r', 'r.applicationId = a.id AND r.tokenHash = :tokenHash')
    .innerJoin(ProjectEntity, 'p', `p.id = a.projectId AND p.state = 'active'`)
    .innerJoin(OrganizationEntity, 'o', `o.id = a.orgId AND o.state = 'active'`)
    .where(`a.clientId = :clientId AND a.state = 'active' AND a.registration IS NOT NULL`);
}

// isUsable: a document that cannot be fetched again is used for one day more
function documentOfClient(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ApplicationEntity, 'a'), [
    'orgId',
    'projectId',
    'id',
    'managementAccess',
  ])
    .addSelect('r.metadata', 'metadata')
    .addSelect('r.freshUntil > app_now()', 'isFresh')
    .addSelect(`r.freshUntil > app_now() - interval '1 day'`, 'isUsable')
    .innerJoin(ClientRegistrationEntity, 'r', 'r.applicationId = a.id')
    .where(`a.clientId = :clientId AND a.registration = 'document'`);
}

/** Without the logo, which is in the same row. */
function metadataOfClient(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ClientRegistrationEntity, 'r'), ['metadata']).where(
    'r.applicationId = :applicationId',
  );
}

// a stored logo stays only if the metadata still name the same address
const REPLACE_METADATA = {
  name: 'client-registrations-replace-metadata',
  text: `
    UPDATE client_registrations r SET metadata = $2::jsonb, (logo, logo_name, logo_source) =
      (SELECT r.logo, r.logo_name, r.logo_source WHERE r.logo_source = $2::jsonb ->> 'logo_uri')
    WHERE application_id = $1`,
};

const LOGO_IS_DUE = `(r.logo_tried_at IS NULL OR r.logo_tried_at < app_now() - interval '10 minutes')`;

function logoOfClient(entities: EntityManager) {
  return entities
    .createQueryBuilder(ClientRegistrationEntity, 'r')
    .select(`r.metadata ->> 'logo_uri'`, 'uri')
    .addSelect(`CASE WHEN r.logoSource = r.metadata ->> 'logo_uri' THEN r.logoName END`, 'name')
    .addSelect(LOGO_IS_DUE, 'isDue')
    .where(`r.applicationId = :applicationId AND r.metadata ->> 'logo_uri' IS NOT NULL`);
}

// also if a logo of another address is stored, which a replica of the previous release leaves there
const CLAIM_LOGO = {
  name: 'client-registrations-claim-logo',
  text: `
    UPDATE client_registrations r SET logo_source = $2, logo = NULL, logo_name = NULL, logo_tried_at = app_now()
    WHERE r.application_id = $1 AND r.metadata ->> 'logo_uri' = $2 AND (r.logo IS NULL OR r.logo_source IS DISTINCT FROM $2) AND ${LOGO_IS_DUE}`,
};

function logoByName(entities: EntityManager) {
  return entities
    .createQueryBuilder(ClientRegistrationEntity, 'r')
    .select('r.logoName', 'name')
    .addSelect('r.logo', 'content')
    .innerJoin(ApplicationEntity, 'a', `a.id = r.applicationId AND a.state = 'active'`)
    .where('r.logoName = :name')
    .limit(1);
}

const NOTE_USE = {
  name: 'client-registrations-note-use',
  text: `
    UPDATE client_registrations SET expires_at = app_now() + make_interval(secs => $2)
    WHERE application_id = $1
      AND expires_at < app_now() + make_interval(secs => $2) - least(interval '1 day', make_interval(secs => $2 / 2))`,
};

const COUNT_OPEN = {
  name: 'client-registrations-count-open',
  text: `
    SELECT count(*)::int AS many FROM (
      SELECT FROM applications WHERE project_id = $1 AND registration IS NOT NULL AND registration IN ('anyone', 'document') LIMIT $2
    ) AS counted`,
};

function ownerOfActiveProject(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ProjectEntity, 'p'), ['orgId'])
    .innerJoin(OrganizationEntity, 'o', `o.id = p.orgId AND o.state = 'active'`)
    .where(`p.id = :projectId AND p.state = 'active'`);
}

@Injectable()
export class PgClientRegistrationsStore extends ClientRegistrationsStore {
  private readonly rows: Table<ClientRegistrationEntity>;
  private readonly byToken: Query<StoredRegistration, { clientId: string; tokenHash: Buffer }>;
  private readonly metadata: Query<{ metadata: InformationalMetadata }, { applicationId: ApplicationId }>;
  private readonly documents: Query<StoredDocument, { clientId: string }>;
  private readonly logosOfClients: Query<ClientLogo, { applicationId: ApplicationId }>;
  private readonly logos: Query<Logo, { name: LogoName }>;
  private readonly owners: Query<{ orgId: OrgId }, { projectId: ProjectId }>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, ClientRegistrationEntity);
    this.byToken = new Query(sql, 'client-registrations-find', registrationByToken);
    this.metadata = new Query(sql, 'client-registrations-find-metadata', metadataOfClient);
    this.documents = new Query(sql, 'client-registrations-find-document', documentOfClient);
    this.logosOfClients = new Query(sql, 'client-registrations-find-logo', logoOfClient);
    this.logos = new Query(sql, 'client-registrations-read-logo', logoByName);
    this.owners = new Query(sql, 'client-registrations-owner-of-project', ownerOfActiveProject);
  }

  override async add(
    tx: Tx,
    { applicationId, orgId, tokenHash, freshSeconds, metadata, unusedSeconds }: NewClientRegistration,
  ): Promise<Date> {
    const { createdAt } = await this.rows.add(tx, {
      applicationId,
      orgId,
      tokenHash,
      metadata,
      expiresAt: inSeconds(unusedSeconds),
      freshUntil: freshSeconds === undefined ? null : inSeconds(freshSeconds),
    });
    return createdAt;
  }

  override async find(clientId: string, tokenHash: Buffer, tx?: Tx): Promise<StoredRegistration | undefined> {
    return await this.byToken.row({ clientId, tokenHash }, tx);
  }

  override async replaceToken(tx: Tx, applicationId: ApplicationId, tokenHash: Buffer): Promise<boolean> {
    const where = { applicationId, tokenHash: Not(IsNull()) };
    return (await this.rows.changeAll(tx, where, { tokenHash })) > 0;
  }

  override async findMetadata(applicationId: ApplicationId): Promise<InformationalMetadata | undefined> {
    return (await this.metadata.row({ applicationId }))?.metadata;
  }

  override async findLogo(applicationId: ApplicationId): Promise<ClientLogo | undefined> {
    return await this.logosOfClients.row({ applicationId });
  }

  override async claimLogo(applicationId: ApplicationId, uri: string): Promise<boolean> {
    return (await this.sql.change(CLAIM_LOGO, [applicationId, uri])) > 0;
  }

  override async keepLogo(applicationId: ApplicationId, uri: string, logo: Logo): Promise<boolean> {
    const named = { applicationId, logoSource: uri };
    return (await this.rows.changeAll(undefined, named, { logo: logo.content, logoName: logo.name })) > 0;
  }

  override async readLogo(name: LogoName): Promise<Logo | undefined> {
    return await this.logos.row({ name });
  }

  override async findDocument(clientId: string): Promise<StoredDocument | undefined> {
    return await this.documents.row({ clientId });
  }

  override async setFresh(tx: Tx, id: ApplicationId, seconds: number): Promise<void> {
    await this.rows.changeAll(tx, { applicationId: id }, { freshUntil: inSeconds(seconds) });
  }

  override async replaceMetadata(tx: Tx, id: ApplicationId, metadata: InformationalMetadata): Promise<void> {
    await this.sql.change(REPLACE_METADATA, [id, JSON.stringify(metadata)], tx);
  }

  override async noteUse(tx: Tx, id: ApplicationId, unusedSeconds: number): Promise<void> {
    await this.sql.change(NOTE_USE, [id, unusedSeconds], tx);
  }

  override async countOpen(projectId: ProjectId, limit: number): Promise<number> {
    return (await this.sql.row<{ many: number }>(COUNT_OPEN, [projectId, limit]))?.many ?? 0;
  }

  override async ownerOfProject(projectId: ProjectId): Promise<OrgId | undefined> {
    return (await this.owners.row({ projectId }))?.orgId;
  }
}

function inSeconds(seconds: number): () => string {
  return () => `app_now() + make_interval(secs => ${seconds})`;
}
