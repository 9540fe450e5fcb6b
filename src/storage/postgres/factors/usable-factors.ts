// SQL by hand: conditions on a user's second factors, for the statements of sign-in
import type { CodeFactorKind, FactorKind } from '../../../domain/policies/factor-policy.js';
import { factorKindsOf, factorLevelOf } from '../policies/factor-level.js';

/** Codes are sent only to an address that is verified now. */
function holdsCodes(user: string, kind: CodeFactorKind, verified: string): string {
  return `EXISTS (SELECT FROM user_code_factors cf JOIN user_humans ch ON ch.user_id = cf.user_id
      WHERE cf.user_id = ${user} AND cf.kind = '${kind}' AND ch.${verified})`;
}

/** SQL: whether a user has a factor of a kind; one index look-up each. */
export const HAS_FACTOR: Readonly<Record<FactorKind, (user: string) => string>> = {
  passkey: (user) => `EXISTS (SELECT FROM passkeys WHERE user_id = ${user})`,
  totp: (user) => `EXISTS (SELECT FROM user_totp_secrets WHERE user_id = ${user})`,
  email: (user) => holdsCodes(user, 'email', 'email_verified'),
  sms: (user) => holdsCodes(user, 'sms', 'phone_verified'),
};

/**
 * SQL: whether a user has a second factor, whether or not their organization's policy lists its kind. Each kind is one index look-up.
 * Recovery codes alone do not count, since they only replace another factor.
 *
 * @param user SQL for the user's id
 */
export function hasUsableFactor(user: string): string {
  const kinds = Object.values(HAS_FACTOR).map((held) => held(user));
  return `(${kinds.join(' OR ')})`;
}

function holdsOneOf(user: string, kinds: string): string {
  const cases = Object.entries(HAS_FACTOR).map(([kind, held]) => `WHEN '${kind}' THEN ${held(user)}`);
  return `EXISTS (SELECT FROM unnest(${kinds}) AS kind WHERE CASE kind ${cases.join(' ')} END)`;
}

/**
 * SQL: whether somebody has a factor of a kind that the policy lists. The policy is read for those alone who have any.
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function hasListedFactor(user: string, org: string): string {
  return `(${hasUsableFactor(user)} AND ${holdsOneOf(user, factorKindsOf(user, org))})`;
}

/**
 * SQL: whether a user must show a second factor after the password: they have one that counts, and second factors are not switched off.
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function secondFactorDue(user: string, org: string): string {
  return `(${hasListedFactor(user, org)} AND ${factorLevelOf(user, org)} > 0)`;
}

/**
 * SQL: the highest `ProofLevel` that a user can reach with their factors: 3 by a passkey that verifies its user (`passwordless`).
 *
 * @param user the column with the user's id @param org the column with their organization's
 */
export function reachableLevel(user: string, org: string): string {
  return `CASE WHEN NOT ${secondFactorDue(user, org)} THEN 1
    WHEN EXISTS (SELECT FROM passkeys WHERE user_id = ${user} AND passwordless)
      AND 'passkey' = ANY (${factorKindsOf(user, org)}::text[]) THEN 3
    ELSE 2 END`;
}
