// SQL by hand: a part of statements that sign-ins wait for
import { defaultAttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';

/** `AttemptPolicy | null`, of a row of `lockout_policies` as `l`. */
export const ATTEMPT_POLICY_COLUMN = `
      CASE WHEN l.org_id IS NOT NULL THEN json_build_object('freeFailures', l.free_attempts,
        'firstWaitSeconds', l.first_wait_seconds, 'lockAfterFailures', l.max_attempts, 'lockSeconds', l.lock_seconds,
        'forgetAfterSeconds', ${defaultAttemptPolicy.forgetAfterSeconds}) END AS "attemptPolicy"`;
