// SQL by hand: a grant of an exchange is opened by one statement, which looks whether all that it hangs from holds
import { AUTHORIZATION_EPOCH, openingApplication, SUBJECT_EPOCH } from '../tokens/epochs.js';

export const FIND_PARENT = {
  name: 'exchanges-find-parent',
  text: `
    SELECT to_json(scopes) AS scopes, session_id, floor(extract(epoch FROM auth_time))::float8 AS auth_time,
           to_json(amr) AS amr, acr, lineage
    FROM authorizations WHERE id = $1`,
};

export const FIND_ACTIVE_USER = {
  name: 'exchanges-find-active-user',
  text: `
    SELECT u.org_id, ${SUBJECT_EPOCH} AS token_epoch,
           (SELECT coalesce(json_agg(json_build_object('role', m.role, 'orgId', m.org_id) ORDER BY m.role, m.org_id), '[]')
            FROM memberships m WHERE m.user_id = u.id) AS roles
    FROM users u JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    WHERE u.id = $1 AND u.state = 'active'`,
};

export const OPEN_EXCHANGE = {
  name: 'exchanges-open',
  text: `
    WITH opened AS (
      INSERT INTO authorizations AS g (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, acr, actor, lineage,
                               subject_epoch, client_epoch, access_token_type, lineage_tokens)
      SELECT $1, u.org_id, u.id, $3, $5::text[], $6::text[], to_timestamp($7), $8::text[], $16, $9::jsonb, $10::jsonb,
             ${SUBJECT_EPOCH}, ${AUTHORIZATION_EPOCH}, $15,
             nullif(ARRAY(SELECT jsonb_array_elements_text($10::jsonb -> 'tokens')), '{}')
      FROM users u JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
      JOIN ${openingApplication('$3')}
      WHERE u.id = $2 AND u.state = 'active' AND ${SUBJECT_EPOCH} = $4 AND exchange_holds($10::jsonb)
      RETURNING g.id, g.org_id, g.user_id
    ), recorded AS (
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
      SELECT o.org_id, 'grant', o.id, 1, 'grant.opened', coalesce($11, o.user_id),
             jsonb_build_object('clientId', a.client_id, 'exchange', true)
      FROM opened o JOIN applications a ON a.id = $3
    ), impersonated AS (
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
      SELECT o.org_id, 'user', o.user_id, u.sequence, 'user.impersonated', $11,
             jsonb_build_object('clientId', a.client_id, 'grantId', o.id)
      FROM opened o JOIN applications a ON a.id = $3 JOIN users u ON u.id = o.user_id
      WHERE $11::text IS NOT NULL
    ), family AS (
      INSERT INTO refresh_token_families (authorization_id, absolute_expires_at)
      SELECT id, app_now() + make_interval(secs => $14) FROM opened WHERE $12::bytea IS NOT NULL
      RETURNING authorization_id
    ), first_token AS (
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at)
      SELECT $12, authorization_id, app_now() + make_interval(secs => $13) FROM family
    )
    SELECT id FROM opened`,
};
