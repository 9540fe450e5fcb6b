// SQL by hand: a token exchange opens its authorization by one statement, which also checks that the exchanged tokens are still valid
import { insertEvents } from '../events/insert-events.js';
import { AuthorizationEntity } from '../tables/authorization.entity.js';
import { RefreshTokenEntity } from '../tables/refresh-token.entity.js';
import { AUTHORIZATION_EPOCH, openingApplication, SUBJECT_EPOCH } from '../tokens/epochs.js';
import { parameters, written } from '../written.js';

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
    SELECT u.id AS "userId", u.org_id AS "orgId", ${SUBJECT_EPOCH} AS "tokenEpoch",
           (SELECT coalesce(json_agg(json_build_object('role', m.role, 'orgId', m.org_id) ORDER BY m.role, m.org_id), '[]')
            FROM memberships m WHERE m.user_id = u.id) AS roles
    FROM users u JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    WHERE u.id = $1 AND u.state = 'active'`,
};

export const EXCHANGE_BY = parameters([
  'userId',
  'subjectEpoch',
  'authTime',
  'impersonatedBy',
  'idleSeconds',
  'absoluteSeconds',
  'confirmation',
]);
const by = EXCHANGE_BY.$;
export const EXCHANGED = written(
  AuthorizationEntity,
  ['id', 'applicationId', 'scopes', 'audience', 'amr', 'acr', 'actor', 'lineage', 'accessTokenType'],
  EXCHANGE_BY.next,
);
export const FIRST_TOKEN = written(RefreshTokenEntity, ['hash'], EXCHANGED.next);
const APPLICATION = EXCHANGED.parameterOf('applicationId');
const LINEAGE = `${EXCHANGED.parameterOf('lineage')}::jsonb`;

export const OPEN_EXCHANGE = {
  name: 'exchanges-open',
  text: `
    WITH opened AS (
      INSERT INTO authorizations AS g (org_id, user_id, auth_time, subject_epoch, client_epoch, lineage_tokens, ${EXCHANGED.columns})
      SELECT u.org_id, u.id, to_timestamp(${by.authTime}), ${SUBJECT_EPOCH}, ${AUTHORIZATION_EPOCH},
             nullif(ARRAY(SELECT jsonb_array_elements_text(${LINEAGE} -> 'tokens')), '{}'), ${EXCHANGED.parameters}
      FROM users u JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
      JOIN ${openingApplication(APPLICATION)}
      WHERE u.id = ${by.userId} AND u.state = 'active' AND ${SUBJECT_EPOCH} = ${by.subjectEpoch} AND exchange_holds(${LINEAGE})
      RETURNING g.id, g.org_id, g.user_id
    ), recorded AS (
      ${insertEvents('actorId', 'data')}
      SELECT o.org_id, 'grant', o.id, 1, 'grant.opened', coalesce(${by.impersonatedBy}, o.user_id),
             jsonb_build_object('clientId', a.client_id, 'exchange', true)
      FROM opened o JOIN applications a ON a.id = ${APPLICATION}
    ), impersonated AS (
      ${insertEvents('actorId', 'data')}
      SELECT o.org_id, 'user', o.user_id, u.sequence, 'user.impersonated', ${by.impersonatedBy},
             jsonb_build_object('clientId', a.client_id, 'grantId', o.id)
      FROM opened o JOIN applications a ON a.id = ${APPLICATION} JOIN users u ON u.id = o.user_id
      WHERE ${by.impersonatedBy}::text IS NOT NULL
    ), family AS (
      INSERT INTO refresh_token_families (authorization_id, absolute_expires_at, dpop_jkt)
      SELECT id, app_now() + make_interval(secs => ${by.absoluteSeconds}), ${by.confirmation}::text FROM opened
      WHERE ${FIRST_TOKEN.parameterOf('hash')}::bytea IS NOT NULL
      RETURNING authorization_id
    ), first_token AS (
      INSERT INTO refresh_tokens (authorization_id, idle_expires_at, ${FIRST_TOKEN.columns})
      SELECT authorization_id, app_now() + make_interval(secs => ${by.idleSeconds}), ${FIRST_TOKEN.parameters} FROM family
    )
    SELECT id FROM opened`,
};
