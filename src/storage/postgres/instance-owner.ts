import type { OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';
import { Table } from './table.js';
import { InstanceEntity } from './tables/instance.entity.js';

/** What belongs to the instance is shown as its first organization's. */
export async function instanceOwner(sql: Sql, tx?: Tx): Promise<OrgId> {
  const instance = await new Table(sql, InstanceEntity).find({ id: true }, tx);
  if (instance === undefined) throw new Error('the instance is not set up yet: run bootstrap');
  return instance.defaultOrgId;
}

/** The `resourceOwner` of a row: its organization, or for the instance its first organization. */
export async function resourceOwner(sql: Sql, orgId: OrgId | null, tx?: Tx): Promise<OrgId> {
  return orgId ?? (await instanceOwner(sql, tx));
}
