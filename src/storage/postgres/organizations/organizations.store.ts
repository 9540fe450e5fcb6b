import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import {
  OrganizationsStore,
  type AskedOrganization,
  type FoundOrganization,
  type NewOrganization,
  type OrganizationRecord,
  type OrganizationState,
} from '../../../domain/organizations/organizations.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, COUNTED, CountedTable, detailsToldBy, raised, Table } from '../table.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { OrganizationDomainEntity, OrganizationEntity } from '../tables/organization.entity.js';

// SQL by hand: the primary domain stands in another table
const SELECT = `
  SELECT ${columns(OrganizationEntity, 'o', ['id', 'name', 'state', 'sequence', 'createdAt', 'changedAt'])},
    coalesce(d.domain, '') AS "primaryDomain", o.created_at
  FROM organizations o LEFT JOIN organization_domains d ON d.org_id = o.id AND d.is_primary
  WHERE o.state <> 'removed'`;
const FIND = { name: 'organizations-find', text: `${SELECT} AND o.id = $1` };
const LIST = pageStatement('organizations-list', { select: SELECT });

// SQL by hand: the triggers that take locks of the whole instance run after both rows are in, so that nobody holds these
// while they wait for somebody else's domain
const ADD = {
  name: 'organizations-add',
  text: `
    WITH added AS (
      INSERT INTO organizations (id, name) VALUES (coalesce($1, new_id()), $2)
      RETURNING ${columns(OrganizationEntity, 'organizations', ['id', 'sequence', 'createdAt', 'changedAt'])}
    ), domains AS (
      INSERT INTO organization_domains (org_id, domain, is_verified, is_primary)
      SELECT id, $3, true, true FROM added
    )
    SELECT * FROM added`,
};

// SQL by hand, prepared: the pages and the authorization endpoint ask, with the look in the same round trip
const FIND_ASKED = {
  id: {
    name: 'organizations-find-asked-by-id',
    text: `SELECT o.id, ${BRANDING_COLUMN} FROM organizations o ${BRANDING_JOIN} WHERE o.id = $1 AND o.state = 'active'`,
  },
  domain: {
    name: 'organizations-find-asked-by-domain',
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

const TAKEN = {
  organizations_pkey: () => new ApiError('already-exists', 'Organisation already exists', 'ORG-lapo2'),
  organization_domains_verified: () =>
    new ApiError('already-exists', 'Domain is already verified by another organisation'),
};

type AddedRow = Pick<OrganizationEntity, 'id' | 'sequence' | 'createdAt' | 'changedAt'>;
type RecordRow = Omit<OrganizationRecord, 'details'> &
  Pick<OrganizationEntity, 'sequence' | 'createdAt' | 'changedAt'>;

@Injectable()
export class PgOrganizationsStore extends OrganizationsStore {
  private readonly rows: Table<OrganizationEntity>;
  private readonly domains: CountedTable<OrganizationDomainEntity>;
  private readonly memberships: Table<MembershipEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, OrganizationEntity);
    this.domains = new CountedTable(sql, OrganizationDomainEntity);
    this.memberships = new Table(sql, MembershipEntity);
  }

  override async add(
    tx: Tx,
    { id, name, primaryDomain: domain }: NewOrganization,
  ): Promise<{ id: OrgId; details: ResourceDetails }> {
    const added = this.sql.row<AddedRow>(ADD, [id, name, domain], tx);
    const row = await mapUniqueViolations(added, TAKEN);
    if (row === undefined) throw new Error('an insert gave no row');
    return { id: row.id, details: detailsToldBy(row.id, row) };
  }

  override async find(orgId: OrgId): Promise<OrganizationRecord | undefined> {
    const row = await this.sql.row<RecordRow>(FIND, [orgId]);
    return row && recordOf(row);
  }

  override async list(query: PageQuery): Promise<Page<OrganizationRecord>> {
    return pageOf(await this.sql.rows<PageRow<RecordRow>>(LIST, pageValues(query)), recordOf);
  }

  override async rename(tx: Tx, id: OrgId, name: string): Promise<ResourceDetails | undefined> {
    return first(await this.rows.change(tx, { id, state: Not('removed') }, { name, ...COUNTED }));
  }

  override async setState(tx: Tx, id: OrgId, state: OrganizationState): Promise<ResourceDetails | undefined> {
    const ends = state === 'inactive' && { tokenEpoch: raised(OrganizationEntity, 'tokenEpoch') };
    const from = { id, state: Not(In([state, 'removed'])) };
    return first(await this.rows.change(tx, from, { state, ...ends, ...COUNTED }));
  }

  override async remove(tx: Tx, id: OrgId): Promise<ResourceDetails | undefined> {
    // against whoever adds something to it at this moment: their foreign keys hold the row, too
    if ((await this.rows.find({ id, state: Not('removed') }, tx, 'exclusive')) === undefined)
      return undefined;
    const details = first(await this.rows.change(tx, { id }, { state: 'removed', ...COUNTED }));
    // the little that others would see or want before the job has cleared away the rest
    await this.domains.removeAll(tx, { orgId: id });
    await this.memberships.removeAll(tx, { orgId: IsNull(), userOrgId: id });
    return details;
  }

  override async findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined> {
    return (await this.domains.find({ orgId, primary: true }, tx))?.domain;
  }

  override async findAsked({ by, value }: AskedOrganization): Promise<FoundOrganization | undefined> {
    return await this.sql.row<{ id: OrgId; branding: OrganizationBranding }>(FIND_ASKED[by], [value]);
  }

  override async findDefaultBranding(): Promise<OrganizationBranding | undefined> {
    return (await this.sql.row<{ branding: OrganizationBranding }>(FIND_DEFAULT_BRANDING, []))?.branding;
  }
}

/** An organization owns itself. */
function first([row]: readonly OrganizationEntity[]): ResourceDetails | undefined {
  return row && detailsToldBy(row.id, row);
}

function recordOf(row: RecordRow): OrganizationRecord {
  const { id, name, state, primaryDomain } = row;
  return { id, name, state, primaryDomain, details: detailsToldBy(id, row) };
}
