import { Injectable } from '@nestjs/common';
import type { Instance } from '../../../domain/organizations/instance.store.js';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import {
  OrganizationsStore,
  type AskedOrganization,
  type FoundOrganization,
  type NewOrganization,
} from '../../../domain/organizations/organizations.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapUniqueViolations, Sql } from '../sql.js';

const ADD = {
  name: 'orgs-add',
  text: `
    WITH added AS (
      INSERT INTO organizations (id, name) VALUES (coalesce($3, new_id()), $1)
      RETURNING id, id AS org_id, sequence, created_at, changed_at
    ), domains AS (
      INSERT INTO organization_domains (org_id, domain, is_verified, is_primary)
      SELECT id, $2, true, true FROM added
    )
    SELECT * FROM added`,
};

const FIND_PRIMARY_DOMAIN = {
  name: 'orgs-find-primary-domain',
  text: 'SELECT domain FROM organization_domains WHERE org_id = $1 AND is_primary',
};

const FIND_ASKED = {
  id: {
    name: 'orgs-find-by-id',
    text: `SELECT o.id, ${BRANDING_COLUMN} FROM organizations o ${BRANDING_JOIN} WHERE o.id = $1 AND o.state = 'active'`,
  },
  domain: {
    name: 'orgs-find-by-primary-domain',
    text: `
      SELECT o.id, ${BRANDING_COLUMN} FROM organization_domains d
      JOIN organizations o ON o.id = d.org_id AND o.state = 'active' ${BRANDING_JOIN}
      WHERE d.domain = $1 AND d.is_primary`,
  },
};

const FIND_DEFAULT_BRANDING = {
  name: 'organizations-find-default-branding',
  text: `SELECT ${BRANDING_COLUMN} FROM instance i JOIN organizations o ON o.id = i.default_org_id ${BRANDING_JOIN}`,
};

const LOCK_SET_UP = {
  name: 'orgs-lock-set-up',
  text: `SELECT pg_advisory_xact_lock(hashtext('instance set-up'))`,
};

const FIND_INSTANCE = {
  name: 'orgs-find-instance',
  text: 'SELECT default_org_id, api_project_id FROM instance',
};

const ADD_INSTANCE = {
  name: 'orgs-add-instance',
  text: 'INSERT INTO instance (default_org_id, api_project_id) VALUES ($1, $2)',
};

@Injectable()
export class PgOrganizationsStore extends OrganizationsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(
    tx: Tx,
    { id, name, primaryDomain }: NewOrganization,
  ): Promise<{ id: OrgId; details: ResourceDetails }> {
    const row = await mapUniqueViolations(
      this.sql.row<ResourceRow & { id: OrgId }>(ADD, [name, primaryDomain, id ?? null], tx),
      {
        organizations_pkey: () => new ApiError('already-exists', 'Organisation already exists', 'ORG-lapo2'),
        organization_domains_verified: () =>
          new ApiError('already-exists', 'Domain is already verified by another organisation'),
      },
    );
    if (row === undefined) throw new Error('no organization was added');
    return { id: row.id, details: detailsOf(row) };
  }

  override async findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined> {
    return (await this.sql.row<{ domain: string }>(FIND_PRIMARY_DOMAIN, [orgId], tx))?.domain;
  }

  override async findAsked({ by, value }: AskedOrganization): Promise<FoundOrganization | undefined> {
    return await this.sql.row<{ id: OrgId; branding: OrganizationBranding }>(FIND_ASKED[by], [value]);
  }

  override async findDefaultBranding(): Promise<OrganizationBranding | undefined> {
    return (await this.sql.row<{ branding: OrganizationBranding }>(FIND_DEFAULT_BRANDING, []))?.branding;
  }

  override async lockSetUp(tx: Tx): Promise<void> {
    await this.sql.rows(LOCK_SET_UP, [], tx);
  }

  override async findInstance(tx: Tx): Promise<Instance | undefined> {
    const row = await this.sql.row<{ default_org_id: OrgId; api_project_id: ProjectId }>(
      FIND_INSTANCE,
      [],
      tx,
    );
    return row && { defaultOrgId: row.default_org_id, apiProjectId: row.api_project_id };
  }

  override async addInstance(tx: Tx, defaultOrgId: OrgId, apiProjectId: ProjectId): Promise<void> {
    await this.sql.change(ADD_INSTANCE, [defaultOrgId, apiProjectId], tx);
  }
}
