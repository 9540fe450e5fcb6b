// SQL by hand: conditions on required second factors, for the statements of sign-in and permissions
import { OWNER_ROLES } from '../../../domain/permissions/permissions.js';
import { OWNERS_GRACE_DAYS } from '../../../domain/policies/factor-policy.js';
import { oneOf } from '../one-of.js';
import { factorKindsOf, factorLevelOf } from '../policies/factor-level.js';
import { hasListedFactor } from './usable-factors.js';

/** SQL: whether the days are not over that owners have from the first offer (`users.factors_offered_at`). */
export function isWithinGrace(user: string): string {
  return `(SELECT o.factors_offered_at > app_now() - interval '${OWNERS_GRACE_DAYS} days' FROM users o WHERE o.id = ${user}) IS TRUE`;
}

/** SQL: whether these days are over. */
export function isGraceOver(user: string): string {
  return `(SELECT o.factors_offered_at <= app_now() - interval '${OWNERS_GRACE_DAYS} days' FROM users o WHERE o.id = ${user}) IS TRUE`;
}

/**
 * SQL: whether a user must have a second factor and has none that counts. The level for owners (2) applies only if a policy was set,
 * so that the default does not stop the owners of an instance that is upgraded.
 *
 * @param user the column with the user's id @param org the column with their organization's
 * @param ofOwner SQL for what must hold as well of an owner, who has some days
 */
export function lacksRequiredFactor(user: string, org: string, ofOwner = 'true'): string {
  return `(NOT ${hasListedFactor(user, org)} AND (
    SELECT CASE asked.level
        WHEN 3 THEN true
        WHEN 2 THEN asked.decided AND EXISTS (SELECT FROM memberships m WHERE m.user_id = ${user} AND m.role ${oneOf(OWNER_ROLES)}) AND (${ofOwner})
        ELSE false END
    FROM (
      SELECT ${factorLevelOf(user, org)} AS level,
        rp.org_id IS NOT NULL OR rs.id IS NOT NULL AS decided
      FROM (SELECT) one
      LEFT JOIN factor_policies rp ON rp.org_id = ${org} AND rp.is_set
      LEFT JOIN factor_settings rs ON rs.sequence > 0) asked))`;
}

/**
 * SQL: whether a user must verify their e-mail address first: codes by e-mail are the only factor that they could set up (passkeys and
 * authenticator apps need no address).
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function needsVerifiedEmail(user: string, org: string): string {
  return `(SELECT NOT h.email_verified AND 'email' = ANY (asked.kinds) AND NOT asked.kinds && ARRAY['passkey', 'totp']
    FROM user_humans h, (SELECT ${factorKindsOf(user, org)}::text[] AS kinds) asked WHERE h.user_id = ${user})`;
}
