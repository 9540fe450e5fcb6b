import { Injectable } from '@nestjs/common';
import {
  OrganizationRecordsStore,
  type OrganizationRecord,
  type OrganizationState,
} from '../../../domain/organizations/organization-records.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

const SELECT = `
  SELECT o.id, o.id AS org_id, o.name, o.state, coalesce(d.domain, '') AS primary_domain, o.sequence, o.created_at,
    o.changed_at
  FROM organizations o LEFT JOIN organization_domains d ON d.org_id = o.id AND d.is_primary
  WHERE o.state <> 'removed'`;
const CHANGED = 'sequence = sequence + 1, changed_at = app_now()';
const DETAILS = 'RETURNING id AS org_id, sequence, created_at, changed_at';

const FIND = { name: 'organization-records-find', text: `${SELECT} AND o.id = $1` };
const LIST = pageStatement('organization-records-list', { select: SELECT });
const RENAME = {
  name: 'organization-records-rename',
  text: `UPDATE organizations SET name = $2, ${CHANGED} WHERE id = $1 AND state <> 'removed' ${DETAILS}`,
};
const SET_STATE = {
  name: 'organization-records-set-state',
  text: `
    UPDATE organizations SET state = $2, token_epoch = token_epoch + CASE WHEN $2 = 'inactive' THEN 1 ELSE 0 END,
      ${CHANGED} WHERE id = $1 AND state NOT IN ($2, 'removed') ${DETAILS}`,
};
// against whoever adds something to it at this moment: their foreign keys hold the row, too
const LOCK = {
  name: 'organization-records-lock',
  text: `SELECT id FROM organizations WHERE id = $1 AND state <> 'removed' FOR UPDATE`,
};
const REMOVE = {
  name: 'organization-records-remove',
  text: `UPDATE organizations SET state = 'removed', ${CHANGED} WHERE id = $1 AND state <> 'removed' ${DETAILS}`,
};
/** The little that others would see or want before the job has cleared away the rest. */
const GIVE_FREE = [
  `DELETE FROM organization_domains WHERE org_id = $1`,
  `DELETE FROM memberships WHERE org_id IS NULL AND user_org_id = $1`,
].map((text, step) => ({ name: `organization-records-give-free-${step}`, text }));

type OrganizationRow = ResourceRow & {
  id: OrgId;
  name: string;
  state: OrganizationState;
  primary_domain: string;
};

@Injectable()
export class PgOrganizationRecordsStore extends OrganizationRecordsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(orgId: OrgId): Promise<OrganizationRecord | undefined> {
    const row = await this.sql.row<OrganizationRow>(FIND, [orgId]);
    return row && toOrganization(row);
  }

  override async list(query: PageQuery): Promise<Page<OrganizationRecord>> {
    return pageOf(await this.sql.rows<PageRow<OrganizationRow>>(LIST, pageValues(query)), toOrganization);
  }

  override async rename(tx: Tx, orgId: OrgId, name: string): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(RENAME, [orgId, name], tx);
    return row && detailsOf(row);
  }

  override async setState(
    tx: Tx,
    orgId: OrgId,
    state: OrganizationState,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(SET_STATE, [orgId, state], tx);
    return row && detailsOf(row);
  }

  override async remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined> {
    await this.sql.rows(LOCK, [orgId], tx);
    const row = await this.sql.row<ResourceRow>(REMOVE, [orgId], tx);
    if (row === undefined) return undefined;
    for (const statement of GIVE_FREE) await this.sql.change(statement, [orgId], tx);
    return detailsOf(row);
  }
}

function toOrganization(row: OrganizationRow): OrganizationRecord {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    primaryDomain: row.primary_domain,
    details: detailsOf(row),
  };
}
