// SQL by hand: the lockout policy as a column of statements that sign-ins run
import { defaultAttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import { decisionsOf } from '../policies/decisions.js';
import { columnOf } from '../table.js';
import { LockoutPolicyEntity } from '../tables/lockout-policy.entity.js';

const MEMBERS = decisionsOf(LockoutPolicyEntity)
  .map((property) => `'${property}', l.${columnOf(LockoutPolicyEntity, property)}`)
  .join(', ');

/** `AttemptPolicy | null`, of a row of `lockout_policies` as `l`. */
export const ATTEMPT_POLICY_COLUMN = `
      CASE WHEN l.org_id IS NOT NULL THEN json_build_object(${MEMBERS},
        'forgetAfterSeconds', ${defaultAttemptPolicy.forgetAfterSeconds}) END AS "attemptPolicy"`;
