import { defaultFactorPolicy, factorLevel } from '../../../domain/policies/factor-policy.js';

/** `FactorLevel` of a row of either table, by its alias; null where there is no row. */
function levelOf(row: string): string {
  return `CASE ${row}.second_factor WHEN 'off' THEN 0 WHEN 'offered' THEN 1
    WHEN 'required' THEN CASE ${row}.required_for WHEN 'owners' THEN 2 ELSE 3 END END`;
}

/**
 * What is asked of a user beside a password, as a scalar subquery that is a `FactorLevel`: what their organization decided,
 * else the instance. Of whoever owns the instance no organization can ask less than the instance does: they may
 * belong to any, whose owners would open the way to all the others.
 *
 * @param userId the column with the user @param orgId the column with their organization
 */
export function factorLevelOf(userId: string, orgId: string): string {
  const usual = `coalesce(${levelOf('fs')}, ${factorLevel(defaultFactorPolicy)})`;
  return `(
    SELECT CASE
      WHEN own.level < usual.level
        AND EXISTS (SELECT FROM memberships m WHERE m.user_id = ${userId} AND m.role = 'IAM_OWNER')
      THEN usual.level ELSE coalesce(own.level, usual.level) END
    FROM (SELECT) one
    LEFT JOIN factor_policies fp ON fp.org_id = ${orgId} AND fp.is_set
    LEFT JOIN factor_settings fs ON fs.sequence > 0
    CROSS JOIN LATERAL (SELECT ${levelOf('fp')} AS level) own
    CROSS JOIN LATERAL (SELECT ${usual} AS level) usual)`;
}
