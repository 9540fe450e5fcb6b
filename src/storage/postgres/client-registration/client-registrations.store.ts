// SQL by hand: the token of a client is looked for by that client's id alone, and what was used is written once a day
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import {
  ClientRegistrationsStore,
  type ClientLogo,
  type InformationalMetadata,
  type NewRegistration,
  type StoredDocument,
  type StoredRegistration,
} from '../../../domain/client-registration/client-registrations.store.js';
import type { Logo, LogoName } from '../../../domain/policies/logo.js';
import type { ApplicationId, OrgId, ProjectId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import type { Row } from '../statement.js';
import { columns, Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ClientRegistrationEntity } from '../tables/client-registration.entity.js';

const FIND = {
  name: 'client-registrations-find',
  text: `
    SELECT ${columns(ApplicationEntity, 'a', ['orgId', 'projectId', 'id', 'registration'])}, r.metadata,
      r.created_at AS "registeredAt"
    FROM applications a
    JOIN client_registrations r ON r.application_id = a.id AND r.token_hash = $2
    JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    JOIN organizations o ON o.id = a.org_id AND o.state = 'active'
    WHERE a.client_id = $1 AND a.state = 'active' AND a.registration IS NOT NULL`,
};

// as long as a document may count at most it is used where it cannot be fetched again
const FIND_DOCUMENT = {
  name: 'client-registrations-find-document',
  text: `
    SELECT ${columns(ApplicationEntity, 'a', ['orgId', 'projectId', 'id', 'managementAccess'])}, r.metadata,
      r.fresh_until > app_now() AS "isFresh", r.fresh_until > app_now() - interval '1 day' AS "isUsable"
    FROM applications a JOIN client_registrations r ON r.application_id = a.id
    WHERE a.client_id = $1 AND a.registration = 'document'`,
};

const FIND_METADATA = {
  name: 'client-registrations-find-metadata',
  text: `SELECT metadata FROM client_registrations WHERE application_id = $1`,
};

// a picture from elsewhere is not the one that the client names now
const REPLACE_METADATA = {
  name: 'client-registrations-replace-metadata',
  text: `
    UPDATE client_registrations r SET metadata = $2::jsonb, (logo, logo_name, logo_source) =
      (SELECT r.logo, r.logo_name, r.logo_source WHERE r.logo_source = $2::jsonb ->> 'logo_uri')
    WHERE application_id = $1`,
};

const LOGO_IS_DUE = `(r.logo_tried_at IS NULL OR r.logo_tried_at < app_now() - interval '10 minutes')`;

const FIND_LOGO = {
  name: 'client-registrations-find-logo',
  text: `
    SELECT r.metadata ->> 'logo_uri' AS uri, CASE WHEN r.logo_source = r.metadata ->> 'logo_uri' THEN r.logo_name END AS name, ${LOGO_IS_DUE} AS "isDue"
    FROM client_registrations r WHERE r.application_id = $1 AND r.metadata ->> 'logo_uri' IS NOT NULL`,
};

// a replica of the release before leaves the picture of another address where it was
const CLAIM_LOGO = {
  name: 'client-registrations-claim-logo',
  text: `
    UPDATE client_registrations r SET logo_source = $2, logo = NULL, logo_name = NULL, logo_tried_at = app_now()
    WHERE r.application_id = $1 AND r.metadata ->> 'logo_uri' = $2 AND (r.logo IS NULL OR r.logo_source IS DISTINCT FROM $2) AND ${LOGO_IS_DUE}`,
};

const READ_LOGO = {
  name: 'client-registrations-read-logo',
  text: `
    SELECT r.logo_name AS name, r.logo AS content
    FROM client_registrations r JOIN applications a ON a.id = r.application_id AND a.state = 'active'
    WHERE r.logo_name = $1 LIMIT 1`,
};

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

const OWNER_OF_PROJECT = {
  name: 'client-registrations-owner-of-project',
  text: `
    SELECT p.org_id AS "orgId" FROM projects p JOIN organizations o ON o.id = p.org_id AND o.state = 'active'
    WHERE p.id = $1 AND p.state = 'active'`,
};

@Injectable()
export class PgClientRegistrationsStore extends ClientRegistrationsStore {
  private readonly rows: Table<ClientRegistrationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, ClientRegistrationEntity);
  }

  override async add(
    tx: Tx,
    { applicationId, orgId, tokenHash, freshSeconds, metadata, unusedSeconds }: NewRegistration,
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
    return await this.sql.row<StoredRegistration & Row>(FIND, [clientId, tokenHash], tx);
  }

  override async replaceToken(tx: Tx, applicationId: ApplicationId, tokenHash: Buffer): Promise<boolean> {
    const where = { applicationId, tokenHash: Not(IsNull()) };
    return (await this.rows.changeAll(tx, where, { tokenHash })) > 0;
  }

  override async findMetadata(applicationId: ApplicationId): Promise<InformationalMetadata | undefined> {
    const row = await this.sql.row<{ metadata: InformationalMetadata }>(FIND_METADATA, [applicationId]);
    return row?.metadata;
  }

  override async findLogo(applicationId: ApplicationId): Promise<ClientLogo | undefined> {
    return await this.sql.row<ClientLogo & Row>(FIND_LOGO, [applicationId]);
  }

  override async claimLogo(applicationId: ApplicationId, uri: string): Promise<boolean> {
    return (await this.sql.change(CLAIM_LOGO, [applicationId, uri])) > 0;
  }

  override async keepLogo(applicationId: ApplicationId, uri: string, logo: Logo): Promise<boolean> {
    const named = { applicationId, logoSource: uri };
    return (await this.rows.changeAll(undefined, named, { logo: logo.content, logoName: logo.name })) > 0;
  }

  override async readLogo(name: LogoName): Promise<Logo | undefined> {
    return await this.sql.row<Logo & Row>(READ_LOGO, [name]);
  }

  override async findDocument(clientId: string): Promise<StoredDocument | undefined> {
    return await this.sql.row<StoredDocument & Row>(FIND_DOCUMENT, [clientId]);
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
    return (await this.sql.row<{ orgId: OrgId }>(OWNER_OF_PROJECT, [projectId]))?.orgId;
  }
}

function inSeconds(seconds: number): () => string {
  return () => `app_now() + make_interval(secs => ${seconds})`;
}
