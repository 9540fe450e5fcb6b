// SQL by hand: codes and refresh tokens are used once, and what a token request needs comes in the same round trip
import { Injectable } from '@nestjs/common';
import type { AccessTokenType } from '../../../domain/applications/oidc-config.js';
import type { Actor } from '../../../domain/authorizations/actor.js';
import {
  AuthorizationsStore,
  type ActiveUser,
  type CodeRecord,
  type CodeRedemption,
  type NewAuthorization,
  type NewExchange,
  type ParentAuthorization,
  type RefreshRenewal,
  type RefreshRotation,
  type RefreshTokenRecord,
  type VerifiedAuthorization,
} from '../../../domain/authorizations/authorizations.store.js';
import type { Confirmation } from '../../../domain/authorizations/confirmation.js';
import type { TokenLineage } from '../../../domain/authorizations/token-lineage.js';
import type { HeldRole } from '../../../domain/permissions/rank.js';
import type { ApplicationId, AuthorizationId, OrgId, SessionId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { pick } from '../table.js';
import { AuthorizationEntity } from '../tables/authorization.entity.js';
import { CodeEntity } from '../tables/code.entity.js';
import { mayNameProject, remainingAudience } from '../tokens/audience-rule.js';
import { AUTHORIZATION_EPOCH, openingApplication, SUBJECT_EPOCH } from '../tokens/epochs.js';
import { parameters, written } from '../written.js';
import {
  EXCHANGED,
  FIND_ACTIVE_USER,
  FIND_PARENT,
  FIRST_TOKEN,
  OPEN_EXCHANGE,
} from './exchange-statements.js';

// most grants are for their application's own project alone; anything else may have been taken away since
const AUDIENCE = `CASE
  WHEN g.lineage IS NULL AND g.audience = ARRAY[(SELECT ga.project_id FROM applications ga WHERE ga.id = g.application_id)]
  THEN g.audience ELSE ${remainingAudience('g.audience', {
    orgId: '(SELECT ga.org_id FROM applications ga WHERE ga.id = g.application_id)',
    since: 'g.created_at',
  })} END`;
const VERIFIED_COLUMNS = `
  g.id AS authorization_id, g.user_id, g.subject_epoch, array_to_string(g.scopes, ' ') AS scopes,
  array_to_string(${AUDIENCE}, ' ') AS audience, floor(extract(epoch FROM g.auth_time))::float8 AS auth_time,
  array_to_string(g.amr, ' ') AS amr, g.acr, g.claims -> 'id_token' AS id_token_claims, g.actor,
  g.access_token_type`;
const VERIFIED_NAMES =
  'authorization_id, user_id, subject_epoch, scopes, audience, auth_time, amr, acr, id_token_claims, actor, access_token_type, session_id';

/** A browser that loops through the authorization endpoint holds this many unused codes at most. */
const LIVE_CODES_PER_SESSION = 10;

/** `ProofLevel` of a session; null for nothing that counts alone. */
const PROOF_LEVEL = `CASE WHEN s.proofs ? 'passkey-verified' THEN 3 WHEN 'mfa' = ANY (s.amr) THEN 2 WHEN 'pwd' = ANY (s.amr) THEN 1 END`;
const OPEN_BY = parameters(['id', 'userId', 'applicationId', 'sessionId', 'audience', 'acr', 'codeSeconds']);
const open = OPEN_BY.$;
const OPENED = written(AuthorizationEntity, ['scopes', 'nonce', 'claims'], OPEN_BY.next);
const CODE = written(CodeEntity, ['hash', 'redirectUri', 'codeChallenge', 'dpopJkt'], OPENED.next);
const HAS_CODE = `${CODE.parameterOf('hash')}::bytea IS NOT NULL`;
const OPEN = {
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
      -- waits for a logout under way: a grant opened behind its back would never be told of it (sessions.store.ts)
      FOR KEY SHARE OF s
      RETURNING ${VERIFIED_COLUMNS}, g.session_id, g.nonce, g.org_id
    ), recorded AS (
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
      SELECT o.org_id, 'grant', o.authorization_id, 1, 'grant.opened', o.user_id,
             jsonb_build_object('clientId', a.client_id, 'sessionId', o.session_id)
      FROM opened o JOIN applications a ON a.id = ${open.applicationId}
    ), code AS (
      INSERT INTO codes (authorization_id, session_id, expires_at, ${CODE.columns})
      SELECT authorization_id, ${open.sessionId}, app_now() + make_interval(secs => ${open.codeSeconds}), ${CODE.parameters}
      FROM opened WHERE ${HAS_CODE}
    ), touched AS (
      -- once a minute is enough for an idle time of days, and keeps parallel requests from queueing for the row
      UPDATE sessions SET last_used_at = app_now()
      WHERE id = ${open.sessionId} AND last_used_at < app_now() - interval '1 minute'
    ), surplus AS (
      -- the time as a subquery, because an index is not searched for what a volatile function says
      SELECT c.hash FROM codes c
      WHERE ${HAS_CODE} AND c.session_id = ${open.sessionId} AND c.used_at IS NULL
        AND c.expires_at > (SELECT app_now())
      ORDER BY c.created_at DESC OFFSET ${LIVE_CODES_PER_SESSION - 1}
    ), ours AS (
      -- whoever holds the row is about to use or to expire it; waiting for each other would end in a deadlock
      SELECT hash FROM codes WHERE hash IN (SELECT hash FROM surplus) FOR UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE codes SET expires_at = app_now() WHERE hash IN (SELECT hash FROM ours)
    )
    SELECT ${VERIFIED_NAMES}, nonce FROM opened`,
};

// whom a grant speaks for and whom it was given to must be active and unchanged, for codes and refresh tokens alike
const SUBJECT_AND_CLIENT_ALIVE = `
  u.id = g.user_id AND u.state = 'active'
  AND o.id = u.org_id AND o.state = 'active' AND ${SUBJECT_EPOCH} = g.subject_epoch
  AND a.id = g.application_id AND ao.id = a.org_id AND ${AUTHORIZATION_EPOCH} = g.client_epoch
  AND (g.lineage IS NULL OR exchange_holds(g.lineage))`;

const REDEEM_BY = parameters([
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
const REDEEM = {
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

// a grant has one code, so the family is that of this one
const UNDO_REDEMPTION = {
  name: 'authorizations-undo-redemption',
  text: `
    WITH unused AS (
      UPDATE codes SET used_at = NULL WHERE hash = $1 AND used_at IS NOT NULL RETURNING authorization_id
    )
    DELETE FROM refresh_token_families f USING unused WHERE f.authorization_id = unused.authorization_id`,
};

const FIND_CODE = {
  name: 'authorizations-find-code',
  text: `SELECT c.authorization_id, g.application_id, c.used_at IS NOT NULL AS used, c.expires_at <= app_now() AS expired,
                c.redirect_uri, c.code_challenge, c.dpop_jkt
         FROM codes c JOIN authorizations g ON g.id = c.authorization_id WHERE c.hash = $1`,
};

const LIVE_SESSION = `(SELECT s.id FROM sessions s WHERE s.id = g.session_id AND s.ended_at IS NULL) AS session_id`;

/** The refresh token $1 of the application $2 where it is good for the scopes $3, and for what a family is bound to. */
const goodRefreshToken = (confirmation: string) => `
      FROM refresh_token_families f, authorizations g, users u, organizations o, applications a, organizations ao
      WHERE t.hash = $1 AND t.used_at IS NULL AND t.idle_expires_at > app_now()
        AND f.authorization_id = t.authorization_id AND f.absolute_expires_at > app_now()
        AND (f.dpop_jkt IS NULL OR f.dpop_jkt = ${confirmation}::text)
        AND g.id = t.authorization_id AND g.application_id = $2 AND g.revoked_at IS NULL
        AND ($3::text[] IS NULL OR $3 <@ g.scopes)
        AND ${SUBJECT_AND_CLIENT_ALIVE}`;

const RENEW = {
  name: 'authorizations-renew-refresh-token',
  text: `
    WITH renewed AS (
      UPDATE refresh_tokens t SET idle_expires_at = least(app_now() + make_interval(secs => $4), f.absolute_expires_at)
      ${goodRefreshToken('$5')}
      RETURNING ${VERIFIED_COLUMNS}, ${LIVE_SESSION}
    )
    SELECT to_json(r) AS verified FROM (SELECT ${VERIFIED_NAMES} FROM renewed) r`,
};

const ROTATE = {
  name: 'authorizations-rotate-refresh-token',
  text: `
    WITH rotated AS (
      UPDATE refresh_tokens t SET used_at = app_now(), successor_hash = $4, successor_sealed = $5
      ${goodRefreshToken('$7')}
      RETURNING ${VERIFIED_COLUMNS}, ${LIVE_SESSION}, f.absolute_expires_at,
        a.auth_method = 'none' AND f.dpop_jkt IS NULL AS unbound
    ), successor AS (
      INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at)
      SELECT $4, authorization_id, least(app_now() + make_interval(secs => $6), absolute_expires_at) FROM rotated
    ), bound AS (
      UPDATE refresh_token_families f SET dpop_jkt = $7 FROM rotated r
      WHERE $7::text IS NOT NULL AND f.authorization_id = r.authorization_id AND r.unbound
    )
    SELECT to_json(r) AS verified FROM (
      SELECT ${VERIFIED_NAMES} FROM rotated) r`,
};

const HAND_OUT_AGAIN = {
  name: 'authorizations-hand-out-again',
  text: `UPDATE refresh_tokens SET retried_at = coalesce(retried_at, app_now()) WHERE hash = $1`,
};

// a family has one unused token: the successor goes before the other is unused again
const UNDO_ROTATION = {
  name: 'authorizations-undo-rotation',
  text: `
    WITH gone AS (
      DELETE FROM refresh_tokens n USING refresh_tokens t
      WHERE t.hash = $1 AND t.successor_hash = $2 AND n.hash = $2 AND n.used_at IS NULL AND n.retried_at IS NULL
      RETURNING n.hash
    )
    UPDATE refresh_tokens t SET used_at = NULL, successor_hash = NULL, successor_sealed = NULL
    FROM gone WHERE t.hash = $1 AND t.successor_hash = gone.hash`,
};

const FIND_REFRESH_TOKEN = {
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

const REVOKE = {
  name: 'authorizations-revoke',
  text: `
    WITH revoked AS (
      UPDATE authorizations SET revoked_at = app_now(), revoke_reason = $2 WHERE id = $1 AND revoked_at IS NULL
      RETURNING id, org_id
    )
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
    SELECT org_id, 'grant', id, 2, 'grant.revoked', jsonb_build_object('reason', $2::text) FROM revoked`,
};

const REVOKE_BY_REFRESH_TOKEN = {
  name: 'authorizations-revoke-by-refresh-token',
  text: `
    WITH found AS (
      SELECT g.id, coalesce(g.application_id = $2, false) AS own FROM refresh_tokens t JOIN authorizations g ON g.id = t.authorization_id
      WHERE t.hash = $1
    ), revoked AS (
      UPDATE authorizations g SET revoked_at = app_now(), revoke_reason = $3 FROM found f
      WHERE g.id = f.id AND f.own AND g.revoked_at IS NULL
      RETURNING g.id, g.org_id
    ), recorded AS (
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
      SELECT org_id, 'grant', id, 2, 'grant.revoked', jsonb_build_object('reason', $3::text) FROM revoked
    )
    SELECT own FROM found`,
};

type VerifiedRow = {
  access_token_type: AccessTokenType | null;
  authorization_id: AuthorizationId;
  user_id: UserId;
  subject_epoch: number;
  scopes: string;
  audience: string;
  auth_time: number;
  amr: string;
  acr: string | null;
  id_token_claims: string[] | null;
  actor: Actor | null;
  session_id: SessionId | null;
  nonce?: string | null;
};

function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

function toVerified(row: VerifiedRow): VerifiedAuthorization {
  return {
    authorizationId: row.authorization_id,
    userId: row.user_id,
    subjectEpoch: row.subject_epoch,
    scopes: words(row.scopes),
    audience: words(row.audience),
    authTime: row.auth_time,
    amr: words(row.amr),
    idTokenClaims: row.id_token_claims ?? [],
    ...(row.actor === null ? {} : { actor: row.actor }),
    ...(row.access_token_type === null ? {} : { accessTokenType: row.access_token_type }),
    ...(row.acr === null ? {} : { acr: row.acr }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    // a refreshed ID token carries no nonce (OpenID Connect Core §12.2): only codes select it
    ...(row.nonce == null ? {} : { nonce: row.nonce }),
  };
}

@Injectable()
export class PgAuthorizationsStore extends AuthorizationsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async open(
    tx: Tx | undefined,
    grant: NewAuthorization,
  ): Promise<VerifiedAuthorization | undefined> {
    const { id, userId, applicationId, sessionId, audience, acr, scopes, nonce, code } = grant;
    const claims = grant.claims && { userinfo: grant.claims.userinfo, id_token: grant.claims.idToken };
    const values = [
      ...OPEN_BY.valuesOf({
        id,
        userId,
        applicationId,
        sessionId,
        audience,
        acr,
        codeSeconds: code?.seconds ?? 0,
      }),
      ...OPENED.valuesOf({ scopes, nonce, claims }),
      ...CODE.valuesOf({
        hash: code?.hash,
        redirectUri: code?.redirectUri,
        codeChallenge: code?.challenge,
        dpopJkt: code?.dpopJkt,
      }),
    ];
    const row = await this.sql.row<VerifiedRow>(OPEN, values, tx);
    return row === undefined ? undefined : toVerified(row);
  }

  override async redeemCode(redemption: CodeRedemption): Promise<VerifiedAuthorization | undefined> {
    const refresh = redemption.firstRefreshToken;
    const values = REDEEM_BY.valuesOf({
      ...pick(redemption, ['codeHash', 'applicationId', 'redirectUri', 'codeChallenge', 'confirmation']),
      refreshHash: refresh?.hash ?? null,
      idleSeconds: refresh?.idleSeconds ?? 0,
      absoluteSeconds: refresh?.absoluteSeconds ?? 0,
      familyConfirmation: refresh?.confirmation ?? null,
    });
    const row = await this.sql.row<VerifiedRow>(REDEEM, values);
    return row === undefined ? undefined : toVerified(row);
  }

  override async undoRedemption(codeHash: Buffer): Promise<void> {
    await this.sql.change(UNDO_REDEMPTION, [codeHash]);
  }

  override async findCode(codeHash: Buffer): Promise<CodeRecord | undefined> {
    const row = await this.sql.row<{
      authorization_id: AuthorizationId;
      application_id: ApplicationId;
      used: boolean;
      expired: boolean;
      redirect_uri: string;
      code_challenge: string | null;
      dpop_jkt: Confirmation | null;
    }>(FIND_CODE, [codeHash]);
    if (row === undefined) return undefined;
    return {
      authorizationId: row.authorization_id,
      applicationId: row.application_id,
      used: row.used,
      expired: row.expired,
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge,
      confirmation: row.dpop_jkt,
    };
  }

  override async rotate(rotation: RefreshRotation): Promise<VerifiedAuthorization | undefined> {
    const values = [
      rotation.hash,
      rotation.applicationId,
      rotation.scopes,
      rotation.successorHash,
      rotation.successorSealed,
      rotation.idleSeconds,
      rotation.confirmation,
    ];
    // a pipelined connection may send twice what it lost; without a sealed successor the second time would look like a
    // replay
    const row =
      rotation.successorSealed === null
        ? await this.sql.row<{ verified: VerifiedRow }>(ROTATE, values)
        : await this.sql.pipelined<{ verified: VerifiedRow }>(ROTATE, values);
    return row === undefined ? undefined : toVerified(row.verified);
  }

  override async renew(renewal: RefreshRenewal): Promise<VerifiedAuthorization | undefined> {
    const { hash, applicationId, scopes, idleSeconds, confirmation } = renewal;
    const values = [hash, applicationId, scopes, idleSeconds, confirmation];
    const row = await this.sql.pipelined<{ verified: VerifiedRow }>(RENEW, values);
    return row === undefined ? undefined : toVerified(row.verified);
  }

  override async handOutAgain(successorHash: Buffer): Promise<boolean> {
    return (await this.sql.change(HAND_OUT_AGAIN, [successorHash])) > 0;
  }

  override async undoRotation(hash: Buffer, successorHash: Buffer): Promise<void> {
    await this.sql.change(UNDO_ROTATION, [hash, successorHash]);
  }

  override async findRefreshToken(hash: Buffer): Promise<RefreshTokenRecord | undefined> {
    const row = await this.sql.row<
      VerifiedRow & {
        application_id: ApplicationId;
        used: boolean;
        used_seconds_ago: number | null;
        successor_sealed: Buffer | null;
        successor_used: boolean;
        dpop_jkt: Confirmation | null;
        alive: boolean;
      }
    >(FIND_REFRESH_TOKEN, [hash]);
    if (row === undefined) return undefined;
    const verified = toVerified(row);
    return {
      authorizationId: row.authorization_id,
      applicationId: row.application_id,
      alive: row.alive,
      scopes: verified.scopes,
      used: row.used,
      ...(row.used_seconds_ago === null ? {} : { usedSecondsAgo: row.used_seconds_ago }),
      confirmation: row.dpop_jkt,
      successorUsed: row.successor_used,
      successorSealed: row.successor_sealed,
      authorization: verified,
    };
  }

  override async revokeByRefreshToken(
    hash: Buffer,
    applicationId: ApplicationId | null,
    reason: string,
  ): Promise<'own' | 'foreign' | 'unknown'> {
    const values = [hash, applicationId, reason];
    const row = await this.sql.row<{ own: boolean }>(REVOKE_BY_REFRESH_TOKEN, values);
    return row === undefined ? 'unknown' : row.own ? 'own' : 'foreign';
  }

  override async revoke(authorizationId: AuthorizationId, reason: string): Promise<boolean> {
    return (await this.sql.change(REVOKE, [authorizationId, reason])) > 0;
  }

  override async findParent(authorizationId: string): Promise<ParentAuthorization | undefined> {
    const row = await this.sql.pipelined<{
      scopes: string[];
      session_id: SessionId | null;
      auth_time: number;
      amr: string[];
      acr: string | null;
      lineage: TokenLineage | null;
    }>(FIND_PARENT, [authorizationId]);
    if (row === undefined) return undefined;
    const { scopes, session_id: sessionId, auth_time: authTime, amr, acr, lineage } = row;
    return { scopes, sessionId, authTime, amr, acr, lineage };
  }

  override async findActiveUser(id: string): Promise<ActiveUser | undefined> {
    const row = await this.sql.pipelined<{ org_id: OrgId; token_epoch: number; roles: HeldRole[] }>(
      FIND_ACTIVE_USER,
      [id],
    );
    return row && { userId: id as UserId, orgId: row.org_id, tokenEpoch: row.token_epoch, roles: row.roles };
  }

  override async openExchange(exchange: NewExchange): Promise<VerifiedAuthorization | undefined> {
    const { id, userId, subjectEpoch, scopes, audience, authTime, amr, acr, actor, refreshToken } = exchange;
    const opened = await this.sql.row<{ id: string }>(OPEN_EXCHANGE, [
      userId,
      subjectEpoch,
      authTime,
      exchange.impersonatedBy,
      refreshToken?.idleSeconds ?? 0,
      refreshToken?.absoluteSeconds ?? 0,
      refreshToken?.confirmation ?? null,
      ...EXCHANGED.valuesOf({
        ...exchange,
        actor: actor && JSON.stringify(actor),
        lineage: JSON.stringify(exchange.lineage),
      }),
      ...FIRST_TOKEN.valuesOf({ hash: refreshToken?.hash }),
    ]);
    if (opened === undefined) return undefined;
    return {
      authorizationId: id,
      userId,
      subjectEpoch,
      scopes,
      audience,
      authTime,
      amr,
      ...(acr === null ? {} : { acr }),
      idTokenClaims: [],
      accessTokenType: exchange.accessTokenType,
      ...(actor === null ? {} : { actor }),
    };
  }
}
