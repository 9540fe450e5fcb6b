// SQL by hand: expressions for the second-factor policy, for the statements of sign-in and permissions
import { defaultFactorPolicy, FACTOR_KINDS, factorLevel } from '../../../domain/policies/factor-policy.js';
import { literals } from '../one-of.js';

/** The policy of an organization and the instance's, as `fp` and `fs`. */
function policiesOf(orgId: string): string {
  return `(SELECT) one
    LEFT JOIN factor_policies fp ON fp.org_id = ${orgId} AND fp.is_set
    LEFT JOIN factor_settings fs ON fs.sequence > 0`;
}

function ownsInstance(userId: string): string {
  return `EXISTS (SELECT FROM memberships m WHERE m.user_id = ${userId} AND m.role = 'IAM_OWNER')`;
}

/** `FactorLevel` of a row of either table, by its alias; null where there is no row. */
function levelOf(row: string): string {
  return `CASE ${row}.second_factor WHEN 'off' THEN 0 WHEN 'offered' THEN 1
    WHEN 'required' THEN CASE ${row}.required_for WHEN 'owners' THEN 2 ELSE 3 END END`;
}

/**
 * The second factor that a user must have, as a scalar subquery that gives a `FactorLevel`: that of their organization's policy, else
 * that of the instance. For an owner of the instance, the organization's policy cannot be weaker than that of the instance: otherwise
 * the owners of one organization could make an account with access to all organizations easier to take over.
 *
 * @param userId the column with the user @param orgId the column with their organization
 */
export function factorLevelOf(userId: string, orgId: string): string {
  const usual = `coalesce(${levelOf('fs')}, ${factorLevel(defaultFactorPolicy)})`;
  return `(
    SELECT CASE
      WHEN own.level < usual.level AND ${ownsInstance(userId)} THEN usual.level ELSE coalesce(own.level, usual.level) END
    FROM ${policiesOf(orgId)}
    CROSS JOIN LATERAL (SELECT ${levelOf('fp')} AS level) own
    CROSS JOIN LATERAL (SELECT ${usual} AS level) usual)`;
}

/**
 * The kinds of factors that count for a user, strongest first, as a scalar subquery that gives a `text[]`. For an owner of the instance
 * they are those of the instance: if an organization listed only kinds that the owner does not have, they would be asked for none.
 *
 * @param userId the column with the user @param orgId the column with their organization
 */
export function factorKindsOf(userId: string, orgId: string): string {
  const usual = `coalesce(fs.kinds, ARRAY[${literals(FACTOR_KINDS)}])`;
  return `(
    SELECT CASE WHEN ${ownsInstance(userId)} THEN ${usual} ELSE coalesce(fp.kinds, ${usual}) END
    FROM ${policiesOf(orgId)})`;
}

/**
 * For how many days a browser may be trusted, as a scalar subquery; for an owner of the instance, at most what the instance allows.
 *
 * @param userId the column with the user @param orgId the column with their organization
 */
export function trustedBrowserDaysOf(userId: string, orgId: string): string {
  const usual = `coalesce(fs.trusted_browser_days, ${defaultFactorPolicy.trustedBrowserDays})`;
  return `(
    SELECT CASE WHEN ${ownsInstance(userId)} THEN least(fp.trusted_browser_days, ${usual})
      ELSE coalesce(fp.trusted_browser_days, ${usual}) END
    FROM ${policiesOf(orgId)})`;
}
