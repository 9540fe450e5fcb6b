import type { TokenPolicy } from '../../../domain/policies/policies.store.js';
import { columnOf } from '../table.js';
import { OidcSettingsEntity } from '../tables/oidc-settings.entity.js';
import { TokenPolicyEntity } from '../tables/token-policy.entity.js';
import { decisionsOf } from './decisions.js';

const LIFETIMES = decisionsOf(TokenPolicyEntity) as readonly (keyof TokenPolicy)[];

/**
 * Lifetimes of a client's tokens, read with the client for every token: those of its organization's policy, else those of the
 * instance; null means the configured lifetime. The joins are look-ups of one row each. Columns, because an object made in
 * SQL costs several times as much.
 */
export const LIFETIME_COLUMNS = LIFETIMES.map((name) => {
  const [ofOrganization, ofInstance] = [
    columnOf(TokenPolicyEntity, name),
    columnOf(OidcSettingsEntity, name),
  ];
  return `coalesce(tp.${ofOrganization}, os.${ofInstance}) AS "${name}"`;
}).join(', ');

/** @param orgId the column with the client's organization */
export function lifetimeJoins(orgId: string): string {
  return `
  LEFT JOIN token_policies tp ON tp.org_id = ${orgId}
  LEFT JOIN oidc_settings os ON os.id = true`;
}

export type LifetimesRow = Readonly<Record<keyof TokenPolicy, number | null>>;

export function lifetimesOf(row: LifetimesRow): TokenPolicy {
  const lifetimes: { -readonly [Name in keyof TokenPolicy]: TokenPolicy[Name] } = {};
  for (const name of LIFETIMES) lifetimes[name] = row[name] ?? undefined;
  return lifetimes;
}
