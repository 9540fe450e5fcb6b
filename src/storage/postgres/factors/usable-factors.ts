import { factorLevelOf } from '../policies/factor-level.js';

/**
 * SQL: whether somebody can show anything besides a password. Each kind is one probe of an index; recovery codes alone are
 * none, since they only stand in for another.
 *
 * @param user SQL for the user's id
 */
export function hasUsableFactor(user: string): string {
  return `EXISTS (SELECT FROM user_totp_secrets WHERE user_id = ${user})`;
}

/**
 * SQL: whether somebody who has shown a password must show a second factor as well: they have one, and what their organization
 * decided does not switch it off.
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function secondFactorDue(user: string, org: string): string {
  return `(${hasUsableFactor(user)} AND ${factorLevelOf(user, org)} > 0)`;
}

/**
 * SQL: `ProofLevel` that somebody can reach with what they have set up, as far as the sign-in pages ask for it.
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function reachableLevel(user: string, org: string): string {
  return `CASE WHEN ${secondFactorDue(user, org)} THEN 2 ELSE 1 END`;
}
