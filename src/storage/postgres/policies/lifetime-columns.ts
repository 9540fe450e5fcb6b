/**
 * How long a client's tokens live, read with the client for every token: what its organization decided, else what the
 * instance decided; null is the configured time. The joins are look-ups of one row each.
 */
export const TOKEN_LIFETIME_COLUMNS = `
  coalesce(tp.access_token_seconds, os.access_token_seconds) AS access_token_seconds,
  coalesce(tp.id_token_seconds, os.id_token_seconds) AS id_token_seconds`;
export const LIFETIME_COLUMNS = `${TOKEN_LIFETIME_COLUMNS},
  coalesce(tp.refresh_idle_seconds, os.refresh_idle_seconds) AS refresh_idle_seconds,
  coalesce(tp.refresh_absolute_seconds, os.refresh_absolute_seconds) AS refresh_absolute_seconds`;

/** @param orgId the column with the client's organization */
export function lifetimeJoins(orgId: string): string {
  return `
  LEFT JOIN token_policies tp ON tp.org_id = ${orgId}
  LEFT JOIN oidc_settings os ON os.id = true`;
}
