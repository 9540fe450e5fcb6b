// SQL by hand: one statement revokes authorizations and records an event for each
import { insertEvents } from '../events/insert-events.js';
import type { Statement } from '../statement.js';

/**
 * SQL: records `grant.revoked` for each authorization.
 *
 * @param revoked the authorizations, with `id` and `org_id`
 * @param reason its parameter
 * @param actor the parameter of the user who revokes them
 */
export function recordRevoked(revoked: string, reason: string, actor?: string): string {
  const [insert, by] =
    actor === undefined ? [insertEvents('data'), ''] : [insertEvents('actorId', 'data'), `${actor}, `];
  return `
      ${insert}
      SELECT org_id, 'grant', id, 2, 'grant.revoked', ${by}jsonb_build_object('reason', ${reason}::text) FROM ${revoked}`;
}

function revoke(name: string, which: string): Statement {
  return {
    name,
    text: `
      WITH revoked AS (
        UPDATE authorizations SET revoked_at = app_now(), revoke_reason = $2 WHERE ${which} AND revoked_at IS NULL
        RETURNING id, org_id
      )${recordRevoked('revoked', '$2')}`,
  };
}

const FOR_API = 'application_id = $1 AND audience @> ARRAY[(SELECT api_project_id FROM instance)]';
export const REVOKE = revoke('authorizations-revoke', 'id = $1');
export const REVOKE_FOR_API = revoke('authorizations-revoke-for-api', FOR_API);
export const REVOKE_FOR_API_OF_USER = revoke(
  'authorizations-revoke-for-api-of-user',
  `${FOR_API} AND org_id = $3 AND user_id = $4`,
);

// locked in the order of ids, so that two concurrent calls do not deadlock
export const REVOKE_HELD = {
  name: 'authorizations-revoke-held',
  text: `
    WITH living AS MATERIALIZED (
      SELECT id FROM authorizations
      WHERE org_id = $1 AND user_id = $2 AND application_id = $3 AND revoked_at IS NULL
      ORDER BY id FOR UPDATE
    ), ended AS (
      UPDATE authorizations g SET revoked_at = app_now(), revoke_reason = $4 FROM living WHERE g.id = living.id
      RETURNING g.id, g.org_id
    )${recordRevoked('ended', '$4', '$2')}`,
};
