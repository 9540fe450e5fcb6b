// SQL by hand where pages and sign-ins look up an organization, and where all user names of one change in one statement
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import {
  OrganizationsStore,
  type AskedOrganization,
  type FoundOrganization,
  type NewOrganization,
  type OrganizationDomain,
  type OrganizationRecord,
  type OrganizationState,
} from '../../../domain/organizations/organizations.store.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { is } from '../page-statement.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { PagedQuery, Query, selecting } from '../query.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import {
  columns,
  COUNTED,
  CountedTable,
  detailsOf,
  detailsWithOwner,
  PagedTable,
  raised,
  Table,
  type CountedRow,
} from '../table.js';
import { MembershipEntity } from '../tables/membership.entity.js';
import { OrganizationDomainEntity, OrganizationEntity } from '../tables/organization.entity.js';
import { migrationNameHash, rememberHashes } from '../user-migration/former-names.js';
import {
  ERASE_OTHERS,
  ERASE_USERS,
  ERASURE_REASON,
  FINISH_ERASURE,
  LOCK_USERS_TO_ERASE,
  RECORD_ERASED_USERS,
} from './erasure-statements.js';

const SHOWN = ['id', 'name', 'state', 'sequence', 'createdAt', 'changedAt'] as const;

/** With the primary domain, which stands in another table. */
function organizations(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(OrganizationEntity, 'o'), SHOWN)
    .addSelect(`coalesce(d.domain, '')`, 'primaryDomain')
    .leftJoin(OrganizationDomainEntity, 'd', 'd.orgId = o.id AND d.primary')
    .where(`o.state <> 'removed'`);
}

// both rows in one statement: its triggers take locks of the whole instance only after both inserts, so that nobody holds
// these locks while waiting for another organization's domain
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

// login pages and the authorization endpoint run these, with the branding in the same round trip
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

/** SQL: a canonical user name `i` that ends with the domain in $2. */
const ENDS_WITH_DOMAIN = `i.kind = 'user_name' AND right(i.canonical, length($2) + 1) = '@' || $2`;
// a service user whose name would consist of digits once the domain is taken off it, which is forbidden (requireServiceUserName)
const HAS_NUMBERED_SERVICE_USER = {
  name: 'organization-domains-has-numbered-service-user',
  text: `
    SELECT EXISTS (
      SELECT FROM users u JOIN login_identifiers i ON i.user_id = u.id JOIN service_users m ON m.user_id = u.id
      WHERE u.org_id = $1 AND ${ENDS_WITH_DOMAIN}
        AND i.canonical ~ ('^[0-9]+(@' || replace($2, '.', '\\.') || ')+$')) AS has`,
};
// in a statement of its own, so that the next one reads the names as they are after the wait
const LOCK_NAMED = {
  name: 'organization-domains-lock-named',
  text: `
    SELECT u.id FROM users u
    WHERE u.org_id = $1 AND EXISTS (
      SELECT FROM login_identifiers i
      WHERE i.user_id = u.id AND ${ENDS_WITH_DOMAIN})
    ORDER BY u.id FOR NO KEY UPDATE`,
};
// the same as userNameIn does with a new name: a user name that ends with the primary domain is a login name already, and loses
// the domain here, for all users of the organization
const SHORTEN_NAMES = {
  name: 'organization-domains-shorten-names',
  text: `
    WITH ending AS (
      SELECT i.user_id, i.canonical,
        regexp_replace(i.canonical, '(@' || replace($2, '.', '\\.') || ')+$', '') AS short
      FROM users u JOIN login_identifiers i ON i.user_id = u.id
      WHERE u.org_id = $1 AND ${ENDS_WITH_DOMAIN}
    ), shortened AS (
      UPDATE login_identifiers i SET canonical = e.short FROM ending e
      WHERE i.org_id = $1 AND i.kind = 'user_name' AND i.canonical = e.canonical AND e.short <> ''
    )
    UPDATE users u SET
      user_name = regexp_replace(u.user_name, '([@﹫@][^@﹫@]*){'
        || (length(e.canonical) - length(e.short)) / (length($2) + 1) || '}$', ''),
      sequence = u.sequence + 1, changed_at = app_now()
    FROM ending e WHERE u.org_id = $1 AND u.id = e.user_id AND e.short <> ''`,
};

const takenElsewhere = () =>
  new ApiError('already-exists', 'Domain is already verified by another organisation', 'V3-DKcYh');

const DOMAIN_TAKEN = {
  organization_domains_pkey: () =>
    new ApiError('already-exists', 'Domain already exists on organisation', 'V3-DKcYh'),
  organization_domains_verified: takenElsewhere,
};

type RecordRow = Omit<OrganizationRecord, 'details'> & Pick<OrganizationEntity, (typeof SHOWN)[number]>;

@Injectable()
export class PgOrganizationsStore extends OrganizationsStore {
  private readonly rows: Table<OrganizationEntity>;
  private readonly one: Query<RecordRow, { id: OrgId }>;
  private readonly some: Query<RecordRow, { ids: readonly OrgId[] }>;
  private readonly pages: PagedQuery<RecordRow, object>;
  private readonly domains: CountedTable<OrganizationDomainEntity>;
  private readonly domainPages: PagedTable<OrganizationDomainEntity>;
  private readonly memberships: Table<MembershipEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, OrganizationEntity);
    this.one = new Query(sql, 'organizations-find', (entities) =>
      organizations(entities).andWhere('o.id = :id'),
    );
    this.some = new Query(sql, 'organizations-find-all', (entities) =>
      organizations(entities)
        .andWhere('o.id = ANY (:ids)')
        .orderBy('lower(o.name)')
        .addOrderBy('o.id')
        .limit(1000),
    );
    this.pages = new PagedQuery(sql, 'organizations-list', organizations, {
      name: 'name',
      filters: { state: is('state') },
    });
    this.domains = new CountedTable(sql, OrganizationDomainEntity);
    this.domainPages = new PagedTable(sql, 'organization-domains-list', OrganizationDomainEntity, ['orgId'], {
      listedBy: 'domain',
    });
    this.memberships = new Table(sql, MembershipEntity);
  }

  override async add(
    tx: Tx,
    { id, name, primaryDomain: domain }: NewOrganization,
  ): Promise<{ id: OrgId; details: ResourceDetails }> {
    const added = this.sql.row<AddedRow>(ADD, [id, name, domain], tx);
    const row = await mapUniqueViolations(added, TAKEN);
    if (row === undefined) throw new Error('an insert gave no row');
    return { id: row.id, details: detailsWithOwner(row.id, row) };
  }

  override async find(orgId: OrgId): Promise<OrganizationRecord | undefined> {
    const row = await this.one.row({ id: orgId });
    return row && recordOf(row);
  }

  override async findAll(orgIds: readonly OrgId[]): Promise<readonly OrganizationRecord[]> {
    return (await this.some.rows({ ids: orgIds })).map(recordOf);
  }

  override async list(query: PageQuery): Promise<Page<OrganizationRecord>> {
    return await this.pages.list(query, {}, recordOf);
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
    // FOR UPDATE waits for transactions that add something to the organization: their foreign keys lock the row
    if ((await this.rows.find({ id, state: Not('removed') }, tx, 'exclusive')) === undefined)
      return undefined;
    const details = first(await this.rows.change(tx, { id }, { state: 'removed', ...COUNTED }));
    // what others would notice before the job has deleted the rest: its domains can be used again, its users lose instance roles
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

  override async addDomain(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string | null,
  ): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'organization_domains', orgId, orgId);
    // a domain that another organization has verified cannot be added, since it could never be verified
    if ((await this.domains.find({ domain, verified: true }, tx)) !== undefined) throw takenElsewhere();
    const values = { orgId, domain, verified: token === null, token };
    return detailsOf(await mapUniqueViolations(this.domains.add(tx, values), DOMAIN_TAKEN));
  }

  override async findDomain(orgId: OrgId, domain: string): Promise<OrganizationDomain | undefined> {
    const row = await this.domains.find({ orgId, domain });
    return row && domainOf(row);
  }

  override async listDomains(orgId: OrgId, query: PageQuery): Promise<Page<OrganizationDomain>> {
    return await this.domainPages.list(query, { orgId }, domainOf);
  }

  override async verifyDomain(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string,
  ): Promise<ResourceDetails | undefined> {
    const claimed = { orgId, domain, token, verified: false };
    const verified = this.domains.changeOne(tx, claimed, { verified: true, token: null });
    return await mapUniqueViolations(verified, DOMAIN_TAKEN);
  }

  override async makeDomainPrimary(
    tx: Tx,
    orgId: OrgId,
    domain: string,
  ): Promise<ResourceDetails | undefined> {
    // users first, as whoever changes one and writes a row that refers to the organization
    await this.sql.rows(LOCK_NAMED, [orgId, domain], tx);
    // serializes concurrent changes of the primary domain, and waits for users who are just being added, whose foreign keys refer to it
    await this.rows.find({ id: orgId, state: Not('removed') }, tx, 'exclusive');
    const candidate = { orgId, domain, verified: true, primary: false };
    if ((await this.domains.find(candidate, tx, 'lock')) === undefined) return undefined;
    const former = await this.findPrimaryDomain(tx, orgId);
    await this.domains.changeOne(tx, { orgId, primary: true }, { primary: false });
    // login names with the former domain must not be migrated as new users (former-names.ts)
    const hashes = former === undefined ? [] : [migrationNameHash(this.sealer, orgId, `@${former}`)];
    await rememberHashes(this.sql, tx, orgId, hashes);
    const details = await this.domains.changeOne(tx, { orgId, domain }, { primary: true });
    // those who were being added
    await this.sql.rows(LOCK_NAMED, [orgId, domain], tx);
    if (
      (await this.sql.row<{ has: boolean }>(HAS_NUMBERED_SERVICE_USER, [orgId, domain], tx))?.has === true
    ) {
      const text = 'A service user would be named by digits alone without the domain';
      throw new ApiError('failed-precondition', text, 'ORG-n7Rw3');
    }
    await mapUniqueViolations(this.sql.change(SHORTEN_NAMES, [orgId, domain], tx), {
      login_identifiers_pkey: () =>
        new ApiError(
          'already-exists',
          'A user name that ends with the domain is taken without it',
          'ORG-d4Kx1',
        ),
    });
    return details;
  }

  override async removeDomain(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined> {
    return await this.domains.removeOne(tx, { orgId, domain, primary: false });
  }

  override async lockUsersToErase(tx: Tx, orgId: OrgId, limit: number): Promise<readonly UserId[]> {
    const rows = await this.sql.rows<{ id: UserId }>(LOCK_USERS_TO_ERASE, [orgId, limit], tx);
    return rows.map(({ id }) => id);
  }

  override async eraseUsers(tx: Tx, orgId: OrgId, userIds: readonly UserId[]): Promise<void> {
    await this.sql.rows(ERASE_USERS, [orgId, userIds, ERASURE_REASON], tx);
    await this.sql.change(RECORD_ERASED_USERS, [orgId, userIds, ERASURE_REASON], tx);
  }

  override async eraseOthers(tx: Tx, orgId: OrgId, limit: number): Promise<number> {
    let rows = 0;
    for (const statement of ERASE_OTHERS) rows += await this.sql.change(statement, [orgId, limit], tx);
    return rows;
  }

  override async finishErasure(
    tx: Tx,
    orgId: OrgId,
  ): Promise<ResourceDetails | 'too-early' | 'finished-before'> {
    const row = await this.sql.row<CountedRow>(FINISH_ERASURE, [orgId], tx);
    if (row !== undefined) return detailsOf(row);
    const erasing = await this.rows.exists({ id: orgId, state: 'removed', erasedAt: IsNull() }, tx);
    return erasing ? 'too-early' : 'finished-before';
  }
}

/** An organization owns itself. */
function first([row]: readonly OrganizationEntity[]): ResourceDetails | undefined {
  return row && detailsWithOwner(row.id, row);
}

function recordOf(row: RecordRow): OrganizationRecord {
  const { id, name, state, primaryDomain } = row;
  return { id, name, state, primaryDomain, details: detailsWithOwner(id, row) };
}

function domainOf(row: OrganizationDomainEntity): OrganizationDomain {
  const { domain, verified, primary, token } = row;
  return { domain, verified, primary, ...(token !== null && { token }), details: detailsOf(row) };
}
