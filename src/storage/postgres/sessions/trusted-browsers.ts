// SQL by hand: whether a browser is trusted is a condition of the statements of sessions
import { insertEvents } from '../events/insert-events.js';
import { trustedBrowserDaysOf } from '../policies/factor-level.js';

/**
 * SQL: a hash of all credentials of a user. If one of them changes, the hash differs from the stored one, and browsers are no longer
 * trusted; so code that changes a password or a factor need not know about trusted browsers.
 */
function credentialsMark(user: string): string {
  return `(
    SELECT sha256(convert_to(concat_ws('|', mu.token_epoch, extract(epoch FROM mp.changed_at), encode(mt.secret_sealed, 'base64'),
        (SELECT string_agg(mk.id, ',' ORDER BY mk.id) FROM passkeys mk WHERE mk.user_id = mu.id),
        (SELECT string_agg(mc.kind || mc.created_at, ',' ORDER BY mc.kind) FROM user_code_factors mc WHERE mc.user_id = mu.id)), 'UTF8'))
    FROM users mu
    LEFT JOIN user_passwords mp ON mp.user_id = mu.id
    LEFT JOIN user_totp_secrets mt ON mt.user_id = mu.id
    WHERE mu.id = ${user})`;
}

/** SQL: whether a user needs no second factor in a browser. A policy that has become stricter applies at once. */
export function isTrusted(agent: string, user: string, org: string): string {
  return `EXISTS (
    SELECT FROM trusted_browsers tb
    WHERE tb.user_agent_id = ${agent} AND tb.user_id = ${user} AND tb.expires_at > app_now()
      AND tb.created_at > app_now() - make_interval(days => ${trustedBrowserDaysOf(user, org)})
      AND tb.mark = ${credentialsMark(user)})`;
}

/** For a live session with two factors; also records the event. Does nothing if the policy does not allow trusted browsers. */
export const TRUST_BROWSER = {
  name: 'sessions-trust-browser',
  text: `
    WITH trusted AS (
      INSERT INTO trusted_browsers AS tb (user_agent_id, user_id, org_id, mark, expires_at)
      SELECT s.user_agent_id, s.user_id, s.org_id, ${credentialsMark('s.user_id')}, app_now() + make_interval(days => given.days)
      FROM sessions s CROSS JOIN LATERAL (SELECT ${trustedBrowserDaysOf('s.user_id', 's.org_id')} AS days) given
      WHERE s.id = $1 AND s.ended_at IS NULL AND s.second_factor_at IS NOT NULL AND given.days > 0
      ON CONFLICT (user_agent_id, user_id) DO UPDATE
        SET mark = excluded.mark, created_at = app_now(), expires_at = excluded.expires_at
      RETURNING tb.org_id, tb.user_id
    )
    ${insertEvents('actorId')}
    SELECT org_id, 'session', $1, 1, 'session.browser_trusted', user_id FROM trusted`,
};

/** Trusted browsers of a user: all, only the one of a session ($3), or all but the one of a session ($4). */
export const FORGET_BROWSERS = {
  name: 'sessions-forget-browsers',
  text: `
    DELETE FROM trusted_browsers
    WHERE org_id = $1 AND user_id = $2
      AND ($3::text IS NULL OR user_agent_id = (SELECT user_agent_id FROM sessions WHERE id = $3))
      AND ($4::text IS NULL OR user_agent_id IS DISTINCT FROM (SELECT user_agent_id FROM sessions WHERE id = $4))`,
};
