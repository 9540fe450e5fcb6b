import { columnOf } from '../table.js';
import { OidcSettingsEntity } from '../tables/oidc-settings.entity.js';
import { TokenPolicyEntity } from '../tables/token-policy.entity.js';
import { decisionsOf } from './decisions.js';

const MEMBERS = decisionsOf(TokenPolicyEntity)
  .map((name) => {
    const [ofOrganization, ofInstance] = [
      columnOf(TokenPolicyEntity, name),
      columnOf(OidcSettingsEntity, name),
    ];
    return `'${name}', coalesce(tp.${ofOrganization}, os.${ofInstance})`;
  })
  .join(', ');

/**
 * `TokenPolicy`: how long a client's tokens live, read with the client for every token: what its organization decided, else what
 * the instance decided; what both left open is the configured time. The joins are look-ups of one row each.
 */
export const LIFETIMES_COLUMN = `json_strip_nulls(json_build_object(${MEMBERS})) AS lifetimes`;

/** @param orgId the column with the client's organization */
export function lifetimeJoins(orgId: string): string {
  return `
  LEFT JOIN token_policies tp ON tp.org_id = ${orgId}
  LEFT JOIN oidc_settings os ON os.id = true`;
}
