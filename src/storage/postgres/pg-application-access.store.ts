import { Injectable } from '@nestjs/common';
import { type AccessGift, ApplicationAccessStore } from '../../domain/clients/application-access.store.js';
import type { GivenAccess, ManagementAccess } from '../../domain/permissions/management-access.js';
import type { Role } from '../../domain/permissions/permissions.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { ApplicationId, OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { giverRoles } from './giver-roles.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { Sql } from './sql.js';

// named SQL: every authorization for the service's own audience asks
const SELECT = `
  SELECT a.org_id, a.management_access, a.first_party, ${giverRoles('a')} AS giver_roles
  FROM applications a WHERE a.id = $1`;
const FIND = { name: 'application-access-find', text: SELECT };
// not FOR UPDATE: a grant that is being opened refers to the row, and holds the consent that is about to be lowered
const HOLD = { name: 'application-access-hold', text: `${SELECT} FOR NO KEY UPDATE OF a` };

const SET = {
  name: 'application-access-set',
  text: `
    UPDATE applications SET management_access = $2, access_given_by = $3, first_party = false,
      sequence = sequence + 1, changed_at = app_now()
    WHERE id = $1 RETURNING org_id, sequence, created_at, changed_at`,
};

type AccessRow = {
  org_id: OrgId;
  management_access: ManagementAccess;
  first_party: boolean;
  giver_roles: Role[];
};

@Injectable()
export class PgApplicationAccessStore extends ApplicationAccessStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(id: ApplicationId, tx?: Tx): Promise<GivenAccess | undefined> {
    const row =
      tx === undefined
        ? await this.sql.quick<AccessRow>(FIND, [id])
        : await this.sql.row<AccessRow>(FIND, [id], tx);
    return row && toAccess(row);
  }

  override async hold(tx: Tx, id: ApplicationId): Promise<GivenAccess | undefined> {
    const row = await this.sql.row<AccessRow>(HOLD, [id], tx);
    return row && toAccess(row);
  }

  override async set(tx: Tx, id: ApplicationId, { access, givenBy }: AccessGift): Promise<ResourceDetails> {
    const row = await this.sql.row<ResourceRow>(SET, [id, access, givenBy], tx);
    if (row === undefined) throw new Error(`there is no application ${id}`);
    return detailsOf(row);
  }
}

function toAccess(row: AccessRow): GivenAccess {
  return {
    orgId: row.org_id,
    access: row.management_access,
    firstParty: row.first_party,
    giverRoles: row.giver_roles,
  };
}
