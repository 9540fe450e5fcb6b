import { Injectable } from '@nestjs/common';
import {
  OrganizationDomainsStore,
  type OrganizationDomain,
} from '../../../domain/organizations/organization-domains.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { mapUniqueViolations, Sql } from '../sql.js';

const COLUMNS = `org_id, domain, domain AS id, domain AS name, is_verified, is_primary, validation_token, sequence,
  created_at, changed_at`;
const CHANGED = 'sequence = sequence + 1, changed_at = app_now()';
const DETAILS = 'RETURNING org_id, sequence, created_at, changed_at';

// a domain that somebody has proven is not even claimed: it could only end in a refusal
const ADD = {
  name: 'organization-domains-add',
  text: `
    INSERT INTO organization_domains (org_id, domain, is_verified, validation_token, created_at, changed_at)
    SELECT $1, $2, $3::text IS NULL, $3, now, now FROM (SELECT app_now() AS now) AS moment
    WHERE NOT EXISTS (SELECT FROM organization_domains WHERE domain = $2 AND is_verified)
    ${DETAILS}`,
};
const FIND = {
  name: 'organization-domains-find',
  text: `SELECT ${COLUMNS} FROM organization_domains WHERE org_id = $1 AND domain = $2`,
};
const LIST = pageStatement('organization-domains-list', {
  select: `SELECT ${COLUMNS} FROM organization_domains WHERE org_id = $7`,
});
const VERIFY = {
  name: 'organization-domains-verify',
  text: `
    UPDATE organization_domains SET is_verified = true, validation_token = NULL, ${CHANGED}
    WHERE org_id = $1 AND domain = $2 AND validation_token = $3 AND NOT is_verified ${DETAILS}`,
};
// two that make different domains primary wait for each other here
const LOCK = {
  name: 'organization-domains-lock',
  text: `SELECT id FROM organizations WHERE id = $1 AND state <> 'removed' FOR NO KEY UPDATE`,
};
const IS_CANDIDATE = {
  name: 'organization-domains-is-candidate',
  text: `
    SELECT domain FROM organization_domains
    WHERE org_id = $1 AND domain = $2 AND is_verified AND NOT is_primary FOR UPDATE`,
};
const UNSET_PRIMARY = {
  name: 'organization-domains-unset-primary',
  text: `UPDATE organization_domains SET is_primary = false, ${CHANGED} WHERE org_id = $1 AND is_primary`,
};
const SET_PRIMARY = {
  name: 'organization-domains-set-primary',
  text: `UPDATE organization_domains SET is_primary = true, ${CHANGED} WHERE org_id = $1 AND domain = $2 ${DETAILS}`,
};
// shortened, the name of such a service user would be digits alone, which it must not be (requireServiceUserName)
const HAS_NUMBERED_SERVICE_USER = {
  name: 'organization-domains-has-numbered-service-user',
  text: `
    SELECT EXISTS (
      SELECT FROM users u JOIN login_identifiers i ON i.user_id = u.id JOIN user_machines m ON m.user_id = u.id
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
const REMOVE = {
  name: 'organization-domains-remove',
  text: `
    DELETE FROM organization_domains WHERE org_id = $1 AND domain = $2 AND NOT is_primary
    RETURNING org_id, sequence + 1 AS sequence, created_at, app_now() AS changed_at`,
};

type DomainRow = ResourceRow & {
  domain: string;
  is_verified: boolean;
  is_primary: boolean;
  validation_token: string | null;
};

const takenElsewhere = () =>
  new ApiError('already-exists', 'Domain is already verified by another organisation', 'V3-DKcYh');

@Injectable()
export class PgOrganizationDomainsStore extends OrganizationDomainsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, orgId: OrgId, domain: string, token: string | null): Promise<ResourceDetails> {
    await requireOwnedCapacity(this.sql, tx, 'organization_domains', orgId, orgId);
    const row = await mapUniqueViolations(this.sql.row<ResourceRow>(ADD, [orgId, domain, token], tx), {
      organization_domains_pkey: () =>
        new ApiError('already-exists', 'Domain already exists on organisation', 'V3-DKcYh'),
      organization_domains_verified: takenElsewhere,
    });
    if (row === undefined) throw takenElsewhere();
    return detailsOf(row);
  }

  override async find(orgId: OrgId, domain: string): Promise<OrganizationDomain | undefined> {
    const row = await this.sql.row<DomainRow>(FIND, [orgId, domain]);
    return row && toDomain(row);
  }

  override async list(orgId: OrgId, query: PageQuery): Promise<Page<OrganizationDomain>> {
    const rows = await this.sql.rows<PageRow<DomainRow>>(LIST, [...pageValues(query), orgId]);
    return pageOf(rows, toDomain);
  }

  override async verify(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string,
  ): Promise<ResourceDetails | undefined> {
    const verified = this.sql.row<ResourceRow>(VERIFY, [orgId, domain, token], tx);
    const row = await mapUniqueViolations(verified, { organization_domains_verified: takenElsewhere });
    return row && detailsOf(row);
  }

  override async makePrimary(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined> {
    await this.sql.rows(LOCK, [orgId], tx);
    if ((await this.sql.row(IS_CANDIDATE, [orgId, domain], tx)) === undefined) return undefined;
    await this.sql.change(UNSET_PRIMARY, [orgId], tx);
    const row = await this.sql.row<ResourceRow>(SET_PRIMARY, [orgId, domain], tx);
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
    return row && detailsOf(row);
  }

  override async remove(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId, domain], tx);
    return row && detailsOf(row);
  }
}

function toDomain(row: DomainRow): OrganizationDomain {
  return {
    domain: row.domain,
    verified: row.is_verified,
    primary: row.is_primary,
    ...(row.validation_token !== null && { token: row.validation_token }),
    details: detailsOf(row),
  };
}
