// SQL by hand: all user names of an organization change in one statement
import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import {
  OrganizationDomainsStore,
  type OrganizationDomain,
} from '../../../domain/organizations/organization-domains.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { CountedTable, detailsOf, PagedTable, Table } from '../table.js';
import { OrganizationDomainEntity, OrganizationEntity } from '../tables/organization.entity.js';

// shortened, the name of such a service user would be digits alone, which it must not be (requireServiceUserName)
const HAS_NUMBERED_SERVICE_USER = {
  name: 'organization-domains-has-numbered-service-user',
  text: `
    SELECT EXISTS (
      SELECT FROM users u JOIN login_identifiers i ON i.user_id = u.id JOIN service_users m ON m.user_id = u.id
      WHERE u.org_id = $1 AND i.kind = 'user_name' AND right(i.canonical, length($2) + 1) = '@' || $2
        AND i.canonical ~ ('^[0-9]+(@' || replace($2, '.', '\\.') || ')+$')) AS has`,
};
// the same as userNameIn does with a new name: one that ends with the primary domain is the login name already
const SHORTEN_NAMES = {
  name: 'organization-domains-shorten-names',
  text: `
    WITH ending AS (
      SELECT i.user_id, i.canonical,
        regexp_replace(i.canonical, '(@' || replace($2, '.', '\\.') || ')+$', '') AS short
      FROM users u JOIN login_identifiers i ON i.user_id = u.id
      WHERE u.org_id = $1 AND i.kind = 'user_name' AND right(i.canonical, length($2) + 1) = '@' || $2
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

const TAKEN = {
  organization_domains_pkey: () =>
    new ApiError('already-exists', 'Domain already exists on organisation', 'V3-DKcYh'),
  organization_domains_verified: takenElsewhere,
};

@Injectable()
export class PgOrganizationDomainsStore extends OrganizationDomainsStore {
  private readonly rows: CountedTable<OrganizationDomainEntity>;
  private readonly pages: PagedTable<OrganizationDomainEntity>;
  private readonly organizations: Table<OrganizationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, OrganizationDomainEntity);
    this.pages = new PagedTable(sql, 'organization-domains-list', OrganizationDomainEntity, ['orgId'], {
      listedBy: 'domain',
    });
    this.organizations = new Table(sql, OrganizationEntity);
  }

  override async add(tx: Tx, orgId: OrgId, domain: string, token: string | null): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'organization_domains', orgId, orgId);
    // a domain that somebody has proven is not even claimed: it could only end in a refusal
    if ((await this.rows.find({ domain, verified: true }, tx)) !== undefined) throw takenElsewhere();
    const values = { orgId, domain, verified: token === null, token };
    return detailsOf(await mapUniqueViolations(this.rows.add(tx, values), TAKEN));
  }

  override async find(orgId: OrgId, domain: string): Promise<OrganizationDomain | undefined> {
    const row = await this.rows.find({ orgId, domain });
    return row && domainOf(row);
  }

  override async list(orgId: OrgId, query: PageQuery): Promise<Page<OrganizationDomain>> {
    return await this.pages.list(query, { orgId }, domainOf);
  }

  override async verify(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string,
  ): Promise<ResourceDetails | undefined> {
    const claimed = { orgId, domain, token, verified: false };
    const verified = this.rows.changeOne(tx, claimed, { verified: true, token: null });
    return await mapUniqueViolations(verified, TAKEN);
  }

  override async makePrimary(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined> {
    // two that make different domains primary wait for each other here
    await this.organizations.find({ id: orgId, state: Not('removed') }, tx, 'lock');
    const candidate = { orgId, domain, verified: true, primary: false };
    if ((await this.rows.find(candidate, tx, 'lock')) === undefined) return undefined;
    await this.rows.changeOne(tx, { orgId, primary: true }, { primary: false });
    const details = await this.rows.changeOne(tx, { orgId, domain }, { primary: true });
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

  override async remove(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined> {
    return await this.rows.removeOne(tx, { orgId, domain, primary: false });
  }
}

function domainOf(row: OrganizationDomainEntity): OrganizationDomain {
  const { domain, verified, primary, token } = row;
  return { domain, verified, primary, ...(token !== null && { token }), details: detailsOf(row) };
}
