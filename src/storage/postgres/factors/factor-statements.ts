// SQL by hand: one-time codes are consumed by one conditional UPDATE each; which factors a user has and needs follows from many tables
import { HOURS_AFTER_RESET } from '../../../domain/factors/factors.store.js';
import { OWNERS_GRACE_DAYS } from '../../../domain/policies/factor-policy.js';
import { factorKindsOf, factorLevelOf, trustedBrowserDaysOf } from '../policies/factor-level.js';
import { isWithinGrace, lacksRequiredFactor } from './required-factors.js';
import { HAS_FACTOR, hasUsableFactor } from './usable-factors.js';

export const FIND_USABLE = {
  name: 'factors-find-usable',
  text: `SELECT ${HAS_FACTOR.totp('u.id')} AS totp, ${HAS_FACTOR.email('u.id')} AS email, ${HAS_FACTOR.sms('u.id')} AS sms,
                EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id
                  AND p.reset_by_email_at > app_now() - interval '${HOURS_AFTER_RESET} hours') AS "passwordResetByEmail",
                (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys,
                (SELECT count(*)::int FROM user_recovery_codes WHERE user_id = u.id AND used_at IS NULL) AS "recoveryCodes",
                ${factorLevelOf('u.id', 'u.org_id')} > 0 AS offered, ${factorKindsOf('u.id', 'u.org_id')} AS kinds,
                ${trustedBrowserDaysOf('u.id', 'u.org_id')} AS "trustedBrowserDays"
         FROM users u WHERE u.id = $1`,
};
export const TAKE_TOTP_STEP = {
  name: 'factors-take-totp-step',
  text: `UPDATE user_totp_secrets SET last_step = $3
         WHERE user_id = $1 AND secret_sealed = $2 AND (last_step IS NULL OR last_step < $3)`,
};
export const FINISH_TOTP = {
  name: 'factors-finish-totp',
  text: `WITH taken AS (
           DELETE FROM totp_enrolments
           WHERE user_id = $1 AND bound_to = $2 AND secret_sealed = $3 AND expires_at > app_now()
           RETURNING user_id, org_id
         ), before AS (
           SELECT FROM user_totp_secrets WHERE user_id = $1
         ), stored AS (
           INSERT INTO user_totp_secrets (user_id, org_id, secret_sealed, data_key_id, last_step)
           SELECT user_id, org_id, $4, $5, $6 FROM taken
           ON CONFLICT ON CONSTRAINT user_totp_secrets_pkey DO UPDATE SET secret_sealed = excluded.secret_sealed,
             data_key_id = excluded.data_key_id, last_step = excluded.last_step, created_at = app_now()
           RETURNING 1
         )
         SELECT CASE WHEN EXISTS (SELECT FROM before) THEN 'replaced' ELSE 'added' END AS done FROM stored`,
};

export const TAKE_RECOVERY_CODE = {
  name: 'factors-take-recovery-code',
  text: `WITH taken AS (
           UPDATE user_recovery_codes SET used_at = app_now()
           WHERE user_id = $1 AND hash = $2 AND used_at IS NULL RETURNING 1
         )
         SELECT (SELECT count(*)::int FROM user_recovery_codes
                 WHERE user_id = $1 AND hash <> $2 AND used_at IS NULL) AS "left"
         FROM taken`,
};

export const REPLACE_RECOVERY_CODES = {
  name: 'factors-replace-recovery-codes',
  text: `WITH whose AS (
           SELECT u.id, u.org_id FROM users u WHERE u.org_id = $1 AND u.id = $2 AND ${hasUsableFactor('u.id')}
         ), gone AS (
           DELETE FROM user_recovery_codes c USING whose WHERE c.user_id = whose.id
         )
         INSERT INTO user_recovery_codes (user_id, org_id, hash)
         SELECT whose.id, whose.org_id, hash FROM whose, unnest($3::text[]) AS hash`,
};
export const DROP_IDLE_RECOVERY_CODES = {
  name: 'factors-drop-idle-recovery-codes',
  text: `DELETE FROM user_recovery_codes c WHERE c.user_id = $1 AND NOT ${hasUsableFactor('c.user_id')}`,
};

export const OFFER_REQUIRED = {
  name: 'factors-offer-required',
  text: `
    WITH offered AS (
      UPDATE users u SET factors_offered_at = coalesce(u.factors_offered_at, app_now()) WHERE u.id = $1
      RETURNING u.id, u.org_id, u.factors_offered_at + interval '${OWNERS_GRACE_DAYS} days' AS until
    )
    SELECT CASE WHEN ${factorLevelOf('o.id', 'o.org_id')} = 2 AND o.until > app_now() THEN o.until END AS until
    FROM offered o`,
};
export const POSTPONE_REQUIRED = {
  name: 'factors-postpone-required',
  text: `UPDATE sessions s SET factors_postponed = true
         WHERE s.id = $1 AND s.ended_at IS NULL AND ${isWithinGrace('s.user_id')}
           AND ${factorLevelOf('s.user_id', 's.org_id')} = 2`,
};
export const LACKS_REQUIRED = {
  name: 'factors-lacks-required',
  text: `SELECT ${lacksRequiredFactor('u.id', 'u.org_id')} AS missing FROM users u WHERE u.id = $1`,
};
