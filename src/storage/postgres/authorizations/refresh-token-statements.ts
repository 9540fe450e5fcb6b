// SQL by hand: a refresh token is rotated by one conditional UPDATE, which also checks authorization, user, client and lifetimes
import { AUTHORIZATION_EPOCH, SUBJECT_EPOCH } from '../tokens/epochs.js';
import { parameters } from '../written.js';
import { recordRevoked } from './revoke-statements.js';
import { SUBJECT_AND_CLIENT_ALIVE, VERIFIED_COLUMNS, VERIFIED_NAMES } from './verified-authorization.js';

const LIVE_SESSION = `(SELECT s.id FROM sessions s WHERE s.id = g.session_id AND s.ended_at IS NULL) AS session_id`;

/** SQL: the refresh token $1 of application $2, if it is valid for the scopes $3 and for the key or certificate that its family is bound to. */
const goodRefreshToken = (confirmation: string) => `
      FROM refresh_token_families f, authorizations g, users u, organizations o, applications a, organizations ao
      WHERE t.hash = $1 AND t.used_at IS NULL AND t.idle_expires_at > app_now()
        AND f.authorization_id = t.authorization_id AND f.absolute_expires_at > app_now()
        AND (f.dpop_jkt IS NULL OR f.dpop_jkt = ${confirmation}::text)
        AND g.id = t.authorization_id AND g.application_id = $2 AND g.revoked_at IS NULL
        AND ($3::text[] IS NULL OR $3 <@ g.scopes)
        AND ${SUBJECT_AND_CLIENT_ALIVE}`;

export const RENEW = {
  name: 'authorizations-renew-refresh-token',
  text: `
    WITH renewed AS (
      UPDATE refresh_tokens t SET idle_expires_at = least(app_now() + make_interval(secs => $4), f.absolute_expires_at)
      ${goodRefreshToken('$5')}
      RETURNING ${VERIFIED_COLUMNS}, ${LIVE_SESSION}
    )
    SELECT to_json(r) AS verified FROM (SELECT ${VERIFIED_NAMES} FROM renewed) r`,
};

export const ROTATE_BY = parameters([
  // of `goodRefreshToken`
  'hash',
  'applicationId',
  'scopes',
  'successorHash',
  'successorSealed',
  'idleSeconds',
  'confirmation',
]);
const rotate = ROTATE_BY.$;
export const ROTATE = {
  name: 'authorizations-rotate-refresh-token',
  text: `
    WITH rotated AS (
      UPDATE refresh_tokens t SET used_at = app_now(), successor_hash = ${rotate.successorHash},
        successor_sealed = ${rotate.successorSealed}
      ${goodRefreshToken(rotate.confirmation)}
      RETURNING ${VERIFIED_COLUMNS}, ${LIVE_SESSION}, f.absolute_expires_at,
        a.auth_method = 'none' AND f.dpop_jkt IS NULL AS unbound
    ), successor AS (
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at)
      SELECT ${rotate.successorHash}, authorization_id,
        least(app_now() + make_interval(secs => ${rotate.idleSeconds}), absolute_expires_at) FROM rotated
    ), bound AS (
      UPDATE refresh_token_families f SET dpop_jkt = ${rotate.confirmation} FROM rotated r
      WHERE ${rotate.confirmation}::text IS NOT NULL AND f.authorization_id = r.authorization_id AND r.unbound
    )
    SELECT to_json(r) AS verified FROM (
      SELECT ${VERIFIED_NAMES} FROM rotated) r`,
};

// a process of the release before has handed out what is counted once and was retried: that one counts from now on, for good
export const HAND_OUT_AGAIN = {
  name: 'authorizations-hand-out-again',
  text: `
    UPDATE refresh_tokens SET retried_at = coalesce(retried_at, app_now()),
      hand_outs = hand_outs + CASE WHEN hand_outs = 1 AND retried_at IS NOT NULL THEN 2 ELSE 1 END WHERE hash = $1`,
};

// A family has one unused token: the successor is deleted before the former token becomes unused again. It is locked first,
// so that of several at once each finds the count that the one before has left. One that was retried and is counted
// once is with a process of the release before, which does not count. While others still have it, whoever was refused may
// come again for as long as after a lost answer: the grace begins anew.
export const UNDO_ROTATION = {
  name: 'authorizations-undo-rotation',
  text: `
    WITH successor AS MATERIALIZED (
      SELECT n.hash, n.hand_outs FROM refresh_tokens t JOIN refresh_tokens n ON n.hash = t.successor_hash
      WHERE t.hash = $1 AND n.hash = $2 AND n.used_at IS NULL AND (n.hand_outs > 1 OR n.retried_at IS NULL)
      FOR UPDATE OF n
    ), given_up AS (
      UPDATE refresh_tokens n SET hand_outs = n.hand_outs - 1,
        retried_at = CASE WHEN n.hand_outs > 2 THEN n.retried_at END
      FROM successor s WHERE n.hash = s.hash AND s.hand_outs > 1
      RETURNING n.hash
    ), again AS (
      UPDATE refresh_tokens t SET used_at = app_now() FROM given_up WHERE t.hash = $1 AND t.successor_hash = given_up.hash
    ), gone AS (
      DELETE FROM refresh_tokens n USING successor s WHERE n.hash = s.hash AND s.hand_outs = 1
      RETURNING n.hash
    )
    UPDATE refresh_tokens t SET used_at = NULL, successor_hash = NULL, successor_sealed = NULL
    FROM gone WHERE t.hash = $1 AND t.successor_hash = gone.hash`,
};

export const FIND_REFRESH_TOKEN = {
  name: 'authorizations-find-refresh-token',
  text: `
    SELECT ${VERIFIED_COLUMNS}, ${LIVE_SESSION}, g.application_id, t.used_at IS NOT NULL AS used,
           extract(epoch FROM app_now() - t.used_at)::float8 AS used_seconds_ago, t.successor_sealed, f.dpop_jkt,
           coalesce(n.used_at IS NOT NULL, false) AS successor_used,
           g.revoked_at IS NULL AND f.absolute_expires_at > app_now() AND t.idle_expires_at > app_now()
             AND u.state = 'active' AND o.state = 'active' AND ${SUBJECT_EPOCH} = g.subject_epoch
             AND ${AUTHORIZATION_EPOCH} = g.client_epoch
             AND (g.lineage IS NULL OR exchange_holds(g.lineage)) AS alive
    FROM refresh_tokens t
    JOIN refresh_token_families f ON f.authorization_id = t.authorization_id
    JOIN authorizations g ON g.id = t.authorization_id
    JOIN users u ON u.id = g.user_id
    JOIN organizations o ON o.id = u.org_id
    JOIN applications a ON a.id = g.application_id
    JOIN organizations ao ON ao.id = a.org_id
    LEFT JOIN refresh_tokens n ON n.hash = t.successor_hash
    WHERE t.hash = $1`,
};

export const REVOKE_BY_REFRESH_TOKEN = {
  name: 'authorizations-revoke-by-refresh-token',
  text: `
    WITH found AS (
      SELECT g.id, coalesce(g.application_id = $2, false) AS own FROM refresh_tokens t JOIN authorizations g ON g.id = t.authorization_id
      WHERE t.hash = $1
    ), revoked AS (
      UPDATE authorizations g SET revoked_at = app_now(), revoke_reason = $3 FROM found f
      WHERE g.id = f.id AND f.own AND g.revoked_at IS NULL
      RETURNING g.id, g.org_id
    ), recorded AS (${recordRevoked('revoked', '$3')}
    )
    SELECT own FROM found`,
};
