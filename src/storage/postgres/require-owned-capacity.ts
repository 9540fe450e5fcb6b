// SQL by hand: a count that ends at the maximum (LIMIT)
import { MOST_OWNED, tooManyOwned, type OwnedThing } from '../../domain/shared/most-owned.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import type { Sql } from './sql.js';
import type { Statement } from './statement.js';

/** SQL: which rows belong to one owner. */
const OF_OWNER: Readonly<Record<OwnedThing, string>> = {
  personal_access_tokens: 'org_id = $1 AND user_id = $2 AND revoked_at IS NULL',
  service_user_keys: 'org_id = $1 AND user_id = $2',
  passkeys: 'org_id = $1 AND user_id = $2',
  application_keys: 'org_id = $1 AND application_id = $2',
  organization_domains: 'org_id = $1 AND $2 = $1',
  initial_access_tokens: 'org_id = $1 AND $2 = $1',
  scim_tokens: 'org_id = $1 AND $2 = $1',
  identity_providers: 'org_id = $1 AND $2 = $1',
  webhooks: 'org_id = $1 AND $2 = $1',
  project_roles: 'org_id = $1 AND project_id = $2',
};

function countOf(thing: OwnedThing): Statement {
  return {
    name: `require-owned-capacity-${thing}`,
    text: `SELECT count(*)::int AS owned
           FROM (SELECT FROM ${thing} WHERE ${OF_OWNER[thing]} LIMIT ${MOST_OWNED[thing].most}) AS counted`,
  };
}

const COUNTS: Readonly<Record<OwnedThing, Statement>> = {
  personal_access_tokens: countOf('personal_access_tokens'),
  service_user_keys: countOf('service_user_keys'),
  passkeys: countOf('passkeys'),
  application_keys: countOf('application_keys'),
  organization_domains: countOf('organization_domains'),
  initial_access_tokens: countOf('initial_access_tokens'),
  scim_tokens: countOf('scim_tokens'),
  identity_providers: countOf('identity_providers'),
  webhooks: countOf('webhooks'),
  project_roles: countOf('project_roles'),
};

/**
 * Called by every store before it adds a row, so that no caller can avoid the limit. If the owner's row is not locked, concurrent calls
 * can exceed it by their number; it is far above what anybody needs.
 *
 * @throws ApiError failed-precondition
 */
export async function requireOwnedCapacity(
  sql: Sql,
  tx: Tx,
  thing: OwnedThing,
  orgId: string,
  ownerId: string,
): Promise<void> {
  const row = await sql.row<{ owned: number }>(COUNTS[thing], [orgId, ownerId], tx);
  if ((row?.owned ?? 0) >= MOST_OWNED[thing].most) throw tooManyOwned(thing);
}
