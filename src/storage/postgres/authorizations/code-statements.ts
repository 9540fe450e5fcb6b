// SQL by hand: one statement opens an authorization with its code and event; one consumes a code and adds the first refresh token
import type { EntityManager } from 'typeorm';
import { insertEvents } from '../events/insert-events.js';
import { selecting } from '../query.js';
import { AuthorizationEntity } from '../tables/authorization.entity.js';
import { CodeEntity } from '../tables/code.entity.js';
import { mayNameProject } from '../tokens/audience-rule.js';
import { AUTHORIZATION_EPOCH, openingApplication, SUBJECT_EPOCH } from '../tokens/epochs.js';
import { parameters, written } from '../written.js';
import { SUBJECT_AND_CLIENT_ALIVE, VERIFIED_COLUMNS, VERIFIED_NAMES } from './verified-authorization.js';

/** Most unused codes of one session, for a browser that loops through the authorization endpoint. */
const LIVE_CODES_PER_SESSION = 10;

/** SQL: the `ProofLevel` of a session, or null. */
const PROOF_LEVEL = `CASE WHEN s.proofs ? 'passkey-verified' THEN 3 WHEN 'mfa' = ANY (s.amr) THEN 2 WHEN 'pwd' = ANY (s.amr) THEN 1 END`;
export const OPEN_BY = parameters([
  'id',
  'userId',
  'applicationId',
  'sessionId',
  'audience',
  'acr',
  'codeSeconds',
]);
const open = OPEN_BY.$;
export const OPENED = written(AuthorizationEntity, ['scopes', 'nonce', 'claims'], OPEN_BY.next);
export const CODE = written(CodeEntity, ['hash', 'redirectUri', 'codeChallenge', 'dpopJkt'], OPENED.next);
const HAS_CODE = `${CODE.parameterOf('hash')}::bytea IS NOT NULL`;
export const OPEN = {
  name: 'authorizations-open',
  text: `
    WITH wanted AS (
      SELECT array(
        SELECT p.id FROM projects p
        WHERE p.id = ANY (${open.audience}) AND p.state = 'active'
          AND ${mayNameProject({ project: 'p', orgId: `(SELECT a.org_id FROM applications a WHERE a.id = ${open.applicationId})` })}
        ORDER BY p.id) AS audience
    ), opened AS (
      INSERT INTO authorizations AS g (id, org_id, user_id, application_id, session_id, audience, auth_time, amr, acr,
                               subject_epoch, client_epoch, ${OPENED.columns})
      SELECT ${open.id}, u.org_id, u.id, ${open.applicationId}, s.id, wanted.audience, s.auth_time, s.amr,
             (${open.acr}::text[])[${PROOF_LEVEL}], s.subject_epoch, ${AUTHORIZATION_EPOCH}, ${OPENED.parameters}
      FROM sessions s JOIN users u ON u.id = s.user_id CROSS JOIN wanted
      JOIN ${openingApplication(open.applicationId)}
      WHERE s.id = ${open.sessionId} AND s.user_id = ${open.userId} AND s.ended_at IS NULL
        AND u.state = 'active' AND EXISTS (
          SELECT FROM organizations o
          WHERE o.id = u.org_id AND o.state = 'active' AND ${SUBJECT_EPOCH} = s.subject_epoch)
      -- waits for a logout under way, which would not notify an authorization opened meanwhile (sessions.store.ts)
      FOR KEY SHARE OF s
      RETURNING ${VERIFIED_COLUMNS}, g.session_id, g.nonce, g.org_id
    ), recorded AS (
      ${insertEvents('actorId', 'data')}
      SELECT o.org_id, 'grant', o.authorization_id, 1, 'grant.opened', o.user_id,
             jsonb_build_object('clientId', a.client_id, 'sessionId', o.session_id)
      FROM opened o JOIN applications a ON a.id = ${open.applicationId}
    ), code AS (
      INSERT INTO codes (authorization_id, session_id, expires_at, ${CODE.columns})
      SELECT authorization_id, ${open.sessionId}, app_now() + make_interval(secs => ${open.codeSeconds}), ${CODE.parameters}
      FROM opened WHERE ${HAS_CODE}
    ), touched AS (
      -- at most once a minute, so that parallel requests do not wait for the row
      UPDATE sessions SET last_used_at = app_now()
      WHERE id = ${open.sessionId} AND last_used_at < app_now() - interval '1 minute'
    ), surplus AS (
      -- app_now() in a subquery, since a volatile function cannot be used in an index condition
      SELECT c.hash FROM codes c
      WHERE ${HAS_CODE} AND c.session_id = ${open.sessionId} AND c.used_at IS NULL
        AND c.expires_at > (SELECT app_now())
      ORDER BY c.created_at DESC OFFSET ${LIVE_CODES_PER_SESSION - 1}
    ), ours AS (
      -- a locked row is just being used or expired by another request; waiting for it could deadlock
      SELECT hash FROM codes WHERE hash IN (SELECT hash FROM surplus) FOR UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE codes SET expires_at = app_now() WHERE hash IN (SELECT hash FROM ours)
    )
    SELECT ${VERIFIED_NAMES}, nonce FROM opened`,
};

export const REDEEM_BY = parameters([
  'codeHash',
  'applicationId',
  'redirectUri',
  'codeChallenge',
  'confirmation',
  'refreshHash',
  'idleSeconds',
  'absoluteSeconds',
  'familyConfirmation',
]);
const redeem = REDEEM_BY.$;
export const REDEEM = {
  name: 'authorizations-redeem-code',
  text: `
    WITH used AS (
      UPDATE codes c SET used_at = app_now()
      FROM authorizations g, users u, organizations o, applications a, organizations ao, sessions s
      WHERE c.hash = ${redeem.codeHash} AND c.used_at IS NULL AND c.expires_at > app_now()
        AND c.redirect_uri = ${redeem.redirectUri} AND c.code_challenge IS NOT DISTINCT FROM ${redeem.codeChallenge}::text
        AND (c.dpop_jkt IS NULL OR c.dpop_jkt = ${redeem.confirmation}::text)
        AND g.id = c.authorization_id AND g.application_id = ${redeem.applicationId} AND g.revoked_at IS NULL
        AND s.id = g.session_id AND s.ended_at IS NULL
        AND ${SUBJECT_AND_CLIENT_ALIVE}
      RETURNING ${VERIFIED_COLUMNS}, g.session_id, g.nonce, g.scopes AS scope_list
    ), family AS (
      INSERT INTO refresh_token_families (authorization_id, absolute_expires_at, dpop_jkt)
      SELECT authorization_id, app_now() + make_interval(secs => ${redeem.absoluteSeconds}), ${redeem.familyConfirmation}::text FROM used
      WHERE ${redeem.refreshHash}::bytea IS NOT NULL AND 'offline_access' = ANY (scope_list)
      RETURNING authorization_id
    ), first_token AS (
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at)
      SELECT ${redeem.refreshHash}, authorization_id, app_now() + make_interval(secs => ${redeem.idleSeconds}) FROM family
    )
    SELECT ${VERIFIED_NAMES}, nonce FROM used`,
};

// an authorization has one code, so its family was added with this code
export const UNDO_REDEMPTION = {
  name: 'authorizations-undo-redemption',
  text: `
    WITH unused AS (
      UPDATE codes SET used_at = NULL WHERE hash = $1 AND used_at IS NOT NULL RETURNING authorization_id
    )
    DELETE FROM refresh_token_families f USING unused WHERE f.authorization_id = unused.authorization_id`,
};

export function codeByHash(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(CodeEntity, 'c'), [
    'authorizationId',
    'redirectUri',
    'codeChallenge',
  ])
    .addSelect('c.dpopJkt', 'confirmation')
    .addSelect('c.usedAt IS NOT NULL', 'used')
    .addSelect('c.expiresAt <= app_now()', 'expired')
    .addSelect('g.applicationId', 'applicationId')
    .innerJoin(AuthorizationEntity, 'g', 'g.id = c.authorizationId')
    .where('c.hash = :hash');
}
