// SQL by hand: every authorization for the service's own audience asks, with the giver's roles in the same round trip
import type { GivenAccess } from '../../../domain/permissions/management-access.js';
import type { ApplicationId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { giverRoles } from '../permissions/giver-roles.js';
import type { Sql } from '../sql.js';
import { columns } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';

const SELECT = `
  SELECT ${columns(ApplicationEntity, 'a', ['orgId', 'managementAccess', 'firstParty'])},
    ${giverRoles('a')} AS "giverRoles"
  FROM applications a WHERE a.id = $1`;
const FIND = { name: 'applications-find-access', text: SELECT };
// not FOR UPDATE: a grant that is being opened refers to the row, and holds the consent that is about to be lowered
const LOCK = { name: 'applications-lock-access', text: `${SELECT} FOR NO KEY UPDATE OF a` };

type AccessRow = Omit<GivenAccess, 'access'> & { managementAccess: GivenAccess['access'] };

/** What an application may do on the service's own APIs, and who gave it. */
export class ApplicationAccess {
  constructor(private readonly sql: Sql) {}

  async find(id: ApplicationId, tx?: Tx): Promise<GivenAccess | undefined> {
    const row = await (tx === undefined
      ? this.sql.pipelined<AccessRow>(FIND, [id])
      : this.sql.row<AccessRow>(FIND, [id], tx));
    return row && givenAccessOf(row);
  }

  async lock(tx: Tx, id: ApplicationId): Promise<GivenAccess | undefined> {
    const row = await this.sql.row<AccessRow>(LOCK, [id], tx);
    return row && givenAccessOf(row);
  }
}

function givenAccessOf({ managementAccess: access, ...row }: AccessRow): GivenAccess {
  return { ...row, access };
}
