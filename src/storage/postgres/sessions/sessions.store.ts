// SQL by hand: every sign-in and every page reads sessions with the next step of their user; sessions are locked and ended in sets
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DELIVER_LOGOUT } from '../../../domain/logout/logout-notices.store.js';
import {
  amrOf,
  hasTwoFactors,
  kindsOf,
  renewsSession,
  type ProofKind,
  type Proofs,
} from '../../../domain/sessions/proof.js';
import type { Session, SessionRecord, SessionStep, UserAgent } from '../../../domain/sessions/session.js';
import {
  PROVIDER_SKEW_SECONDS,
  SessionsStore,
  type NewSession,
  type ProviderLogoutHint,
  type ProviderSession,
  type ProviderSessionByNameId,
  type ProviderSessionEnd,
  type SessionSettings,
  type SessionsOfUser,
} from '../../../domain/sessions/sessions.store.js';
import type { OrgId, SessionId, UserAgentId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { activeTraceparent } from '../../../tracing/trace.js';
import { advisoryLock } from '../advisory-lock.js';
import { insertEvents } from '../events/insert-events.js';
import { isWithinGrace, lacksRequiredFactor, needsVerifiedEmail } from '../factors/required-factors.js';
import { reachableLevel, secondFactorDue } from '../factors/usable-factors.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { columns, pick, Table } from '../table.js';
import { ProviderSessionEntity } from '../tables/provider-session.entity.js';
import { SessionEntity } from '../tables/session.entity.js';
import { UserEntity } from '../tables/user.entity.js';
import { SUBJECT_EPOCH } from '../tokens/epochs.js';
import { written } from '../written.js';
import {
  endsAll,
  HAS_ENDED,
  heardHash,
  NAMED_BY_PROVIDER,
  namesOfEnded,
  namesOfSession,
  OF_PROVIDER_BY_SESSION,
  OF_PROVIDER_BY_SUBJECT,
  REMEMBER_ENDED,
  TAKE_LEFT,
} from './provider-sessions.js';
import { FORGET_BROWSERS, isTrusted, TRUST_BROWSER } from './trusted-browsers.js';

// sessions from before proofs were stored were all opened with a password
const PROOFS = `CASE WHEN s.proofs = '{}' AND 'pwd' = ANY (s.amr)
         THEN jsonb_build_object('password', floor(extract(epoch FROM s.auth_time))::bigint)
         ELSE s.proofs END`;
// an owner may postpone it for some days, for each session
const SET_UP_DUE = lacksRequiredFactor(
  's.user_id',
  's.org_id',
  `NOT (s.factors_postponed AND ${isWithinGrace('s.user_id')})`,
);
const SESSION = ['id', 'orgId', 'userId', 'userAgentId'] as const;
const SESSION_COLUMNS = `${columns(SessionEntity, 's', SESSION)},
  extract(epoch FROM app_now() - s.auth_time)::float8 AS "authAgeSeconds",
  extract(epoch FROM s.auth_time)::float8 AS "authenticatedAt",
  ${PROOFS} AS proofs, ${reachableLevel('s.user_id', 's.org_id')} AS "reachableLevel",
  CASE
    WHEN s.second_factor_at IS NULL AND ${secondFactorDue('s.user_id', 's.org_id')}
      AND NOT (s.browser_trusted AND ${isTrusted('s.user_agent_id', 's.user_id', 's.org_id')}) THEN 'second-factor'
    WHEN (SELECT p.change_required FROM user_passwords p WHERE p.user_id = s.user_id) THEN 'change-password'
    WHEN s.second_factor_at IS NULL AND ${SET_UP_DUE} THEN
      CASE WHEN ${needsVerifiedEmail('s.user_id', 's.org_id')} THEN 'verify-email' ELSE 'set-up-factor' END
    WHEN (SELECT NOT h.email_verified FROM user_humans h WHERE h.user_id = s.user_id) THEN 'verify-email'
  END AS step`;
// the session of a user who was deactivated, with their organization or alone, or whose tokens were all ended, is not
// offered again
const USER_UNCHANGED = `u.state = 'active' AND EXISTS (
    SELECT FROM organizations o
    WHERE o.id = u.org_id AND o.state = 'active' AND ${SUBJECT_EPOCH} = s.subject_epoch)`;

const FIND_AGENT = {
  name: 'sessions-find-agent',
  text: `
    SELECT a.id AS agent_id, live.*
    FROM user_agents a
    LEFT JOIN LATERAL (
      SELECT ${SESSION_COLUMNS},
        s.last_used_at <= app_now() - make_interval(secs => $2)
          OR s.auth_time <= app_now() - make_interval(secs => $3) AS lapsed
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.user_agent_id = a.id AND s.ended_at IS NULL AND ${USER_UNCHANGED}
      ORDER BY s.last_used_at DESC, s.id
    ) live ON true
    WHERE a.secret_hash = $1`,
};
const ADD_AGENT = {
  name: 'sessions-add-agent',
  text: `INSERT INTO user_agents (id, secret_hash) VALUES ($1, $2)`,
};
const ROTATE_AGENT = {
  name: 'sessions-rotate-agent',
  text: `UPDATE user_agents SET secret_hash = $3, last_seen_at = app_now() WHERE id = $1 AND secret_hash = $2`,
};
const NOW_SECONDS = 'floor(extract(epoch FROM app_now()))::bigint';
/** SQL: proofs shown now, as JSON with the time of each. @param kinds SQL for their kinds */
const shownNow = (kinds: string): string =>
  `(SELECT coalesce(jsonb_object_agg(kind, ${NOW_SECONDS}), '{}') FROM unnest(${kinds}) AS kind)`;

const STARTED = written(SessionEntity, ['id', 'userAgentId', 'amr', 'device'], 8);
const START = {
  name: 'sessions-start',
  text: `
    INSERT INTO sessions AS s (org_id, user_id, auth_time, subject_epoch, proofs, second_factor_at, browser_trusted, ${STARTED.columns})
    SELECT u.org_id, u.id, app_now(), ${SUBJECT_EPOCH}, $6::jsonb || ${shownNow('$4::text[]')},
           CASE WHEN $5::boolean THEN app_now() END, $7::boolean AND ${isTrusted(STARTED.parameterOf('userAgentId'), 'u.id', 'u.org_id')}, ${STARTED.parameters}
    FROM users u JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    WHERE u.org_id = $1 AND u.id = $2 AND u.state = 'active'
      AND ($3::text IS NULL OR EXISTS (
        SELECT FROM user_passwords p WHERE p.user_id = u.id AND p.changed_at = $3::text::timestamptz))
    ON CONFLICT (user_agent_id, user_id) WHERE ended_at IS NULL DO UPDATE
      SET auth_time = excluded.auth_time, amr = excluded.amr, subject_epoch = excluded.subject_epoch,
          proofs = excluded.proofs, second_factor_at = excluded.second_factor_at,
          browser_trusted = excluded.browser_trusted, factors_postponed = excluded.factors_postponed,
          device = coalesce(excluded.device, s.device), last_used_at = excluded.auth_time
    RETURNING ${SESSION_COLUMNS}`,
};
const LOCK_PROOFS = {
  name: 'sessions-lock-proofs',
  text: `SELECT ${PROOFS} AS proofs FROM sessions s WHERE id = $1 AND ended_at IS NULL FOR NO KEY UPDATE`,
};
const ADD_PROOF = {
  name: 'sessions-add-proof',
  text: `
    WITH shown AS (
      UPDATE sessions s
      SET proofs = $3::jsonb || ${shownNow('ARRAY[$2::text]')}, amr = $4,
          auth_time = CASE WHEN $6::boolean THEN app_now() ELSE s.auth_time END,
          second_factor_at = CASE WHEN $5::boolean THEN coalesce(s.second_factor_at, app_now()) END
      WHERE s.id = $1
      RETURNING s.id, s.org_id, s.user_id
    )
    ${insertEvents('actorId', 'data')}
    SELECT org_id, 'session', id, 1, 'session.factor_verified', user_id, jsonb_build_object('kind', $2::text)
    FROM shown`,
};

/**
 * FOR UPDATE keeps authorizations from being opened meanwhile (authorizations-open takes KEY SHARE). The rows are locked in the order of
 * ids, so that two logouts of the same sessions do not deadlock.
 */
function ending(name: string, condition: string): Statement {
  return {
    name,
    text: `
      WITH living AS MATERIALIZED (
        SELECT id FROM sessions WHERE ${condition} AND ended_at IS NULL ORDER BY id FOR UPDATE
      ), ended AS (
        UPDATE sessions s SET ended_at = app_now(), end_reason = $1 FROM living WHERE s.id = living.id
        RETURNING s.id, s.org_id, s.user_id
      ), recorded AS (
        ${insertEvents('actorId', 'data')}
        SELECT org_id, 'session', id, 2, 'session.ended', coalesce($2::text, user_id),
               jsonb_build_object('reason', $1::text) FROM ended
      )
      SELECT id FROM ended`,
  };
}
const END = ending('sessions-end', 'id = ANY ($3)');
const END_OF_USER = ending(
  'sessions-end-of-user',
  'org_id = $3 AND user_id = $4 AND ($5::text IS NULL OR id = $5) AND id IS DISTINCT FROM $6::text',
);

// a session that is renewed concurrently is checked again under its lock, and stays
const OUTDATED = `id IN (
  SELECT s.id FROM sessions s
  JOIN users u ON u.id = s.user_id
  JOIN organizations o ON o.id = u.org_id
  WHERE s.org_id = $3 AND s.ended_at IS NULL AND s.subject_epoch < ${SUBJECT_EPOCH}
  ORDER BY s.id LIMIT $4 FOR UPDATE OF s)`;
const END_OUTDATED = ending('sessions-end-outdated', OUTDATED);

const END_OF_USERS = ending('sessions-end-of-users', 'org_id = $3 AND user_id = ANY ($4)');

// a statement of its own, after the sessions are locked: only then does its snapshot hold every grant they ever opened
const ENQUEUE_NOTICES = {
  name: 'sessions-enqueue-logout-notices',
  text: `
    WITH queued AS MATERIALIZED (
      SELECT new_id() AS id, org_id, user_id, session_id, application_id
      FROM (SELECT DISTINCT s.org_id, s.user_id, s.id AS session_id, a.id AS application_id
            FROM sessions s
            JOIN authorizations g ON g.session_id = s.id
            JOIN applications a ON a.id = g.application_id AND a.back_channel_logout_uri IS NOT NULL
            WHERE s.id = ANY ($1)) AS holder
    ), enqueued AS (
      INSERT INTO outbox (queue, job_name, payload, lane, traceparent)
      SELECT 'notifications', $2, jsonb_build_object('logoutNoticeId', id), 'normal', $3 FROM queued
      RETURNING id, payload ->> 'logoutNoticeId' AS notice_id
    )
    INSERT INTO logout_notices (id, org_id, user_id, session_id, application_id, outbox_id)
    SELECT o.id, o.org_id, o.user_id, o.session_id, o.application_id, d.id
    FROM queued o JOIN enqueued d ON d.notice_id = o.id`,
};
const FIND_LIVE = {
  name: 'sessions-find-live',
  text: `SELECT ${SESSION_COLUMNS} FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.id = $1 AND s.user_agent_id = $2 AND s.ended_at IS NULL AND ${USER_UNCHANGED}`,
};

const RECORD = ['id', 'device', 'createdAt', 'authTime', 'lastUsedAt'] as const;
function sessionsOfUser(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(SessionEntity, 's'), RECORD)
    .innerJoin(UserEntity, 'u', 'u.id = s.userId')
    .where(`s.orgId = :orgId AND s.userId = :userId AND s.endedAt IS NULL AND ${USER_UNCHANGED}`)
    .orderBy('s.lastUsedAt', 'DESC')
    .addOrderBy('s.id')
    .limit(100);
}

type SessionRow = Omit<Session, 'step'> & { step: SessionStep | null };
type RecordRow = Pick<SessionEntity, (typeof RECORD)[number]>;

function toSession({ step, ...row }: SessionRow): Session {
  return {
    ...pick(row, [...SESSION, 'authAgeSeconds', 'authenticatedAt', 'proofs', 'reachableLevel']),
    ...(step !== null && { step }),
  };
}

@Injectable()
export class PgSessionsStore extends SessionsStore {
  private readonly providerSessions: Table<ProviderSessionEntity>;
  private readonly ofUser: Query<RecordRow, { readonly orgId: OrgId; readonly userId: UserId }>;

  constructor(private readonly sql: Sql) {
    super();
    this.ofUser = new Query(sql, 'sessions-list-of-user', sessionsOfUser);
    this.providerSessions = new Table(sql, ProviderSessionEntity);
  }

  override async findAgent(
    secretHash: Buffer,
    { idleSeconds, absoluteSeconds }: SessionSettings,
  ): Promise<UserAgent | undefined> {
    type AgentRow = { agent_id: UserAgentId } & ((SessionRow & { lapsed: boolean }) | { id: null });
    const values = [secretHash, idleSeconds, absoluteSeconds];
    const rows = await this.sql.pipelinedRows<AgentRow>(FIND_AGENT, values);
    const [first] = rows;
    if (first === undefined) return undefined;
    const sessions: Session[] = [];
    const lapsed: Session[] = [];
    for (const row of rows) if (row.id !== null) (row.lapsed ? lapsed : sessions).push(toSession(row));
    return { id: first.agent_id, sessions, lapsed };
  }

  override async addAgent(id: UserAgentId, secretHash: Buffer): Promise<void> {
    await this.sql.change(ADD_AGENT, [id, secretHash]);
  }

  override async rotateAgent(
    tx: Tx,
    id: UserAgentId,
    previousHash: Buffer,
    nextHash: Buffer,
  ): Promise<boolean> {
    return (await this.sql.change(ROTATE_AGENT, [id, previousHash, nextHash], tx)) === 1;
  }

  override async start(tx: Tx, session: NewSession): Promise<Session | undefined> {
    const { orgId, userId, passwordSetAt = null, proofs, earlierProofs = {}, trusts = true } = session;
    const kinds = [...kindsOf(earlierProofs), ...proofs];
    const written = STARTED.valuesOf({ ...session, amr: amrOf(kinds) });
    const earlier = JSON.stringify(earlierProofs);
    const given = [orgId, userId, passwordSetAt, proofs, hasTwoFactors(kinds), earlier, trusts];
    const values = [...given, ...written];
    const row = await this.sql.row<SessionRow>(START, values, tx);
    return row === undefined ? undefined : toSession(row);
  }

  override async addProof(
    tx: Tx,
    id: SessionId,
    kind: ProofKind,
    how: 'shown' | 'set-up' = 'shown',
  ): Promise<boolean> {
    const before = await this.sql.row<{ proofs: Proofs }>(LOCK_PROOFS, [id], tx);
    if (before === undefined) return false;
    const { proofs } = before;
    const kinds = [...new Set([...kindsOf(proofs), kind])];
    const isNew = how === 'shown' && renewsSession(kind);
    const values = [id, kind, JSON.stringify(proofs), amrOf(kinds), hasTwoFactors(kinds), isNew];
    return (await this.sql.change(ADD_PROOF, values, tx)) === 1;
  }

  override async trustBrowser(tx: Tx, id: SessionId): Promise<void> {
    await this.sql.change(TRUST_BROWSER, [id], tx);
  }

  override async end(
    tx: Tx,
    ids: readonly SessionId[],
    reason: string,
    actorId: UserId | null,
  ): Promise<number> {
    return await this.endAndNotify(tx, END, [reason, actorId, ids]);
  }

  override async findLive(tx: Tx, id: SessionId, userAgentId: UserAgentId): Promise<Session | undefined> {
    const row = await this.sql.row<SessionRow>(FIND_LIVE, [id, userAgentId], tx);
    return row === undefined ? undefined : toSession(row);
  }

  override async endOfUser(
    tx: Tx,
    { orgId, userId, only, except }: SessionsOfUser,
    reason: string,
    actorId: UserId | null,
  ): Promise<number> {
    await this.sql.change(FORGET_BROWSERS, [orgId, userId, only ?? null, except ?? null], tx);
    const values = [reason, actorId, orgId, userId, only ?? null, except ?? null];
    return await this.endAndNotify(tx, END_OF_USER, values);
  }

  override async endOfUsers(
    tx: Tx,
    orgId: OrgId,
    userIds: readonly UserId[],
    reason: string,
    actorId: UserId | null,
  ): Promise<number> {
    return await this.endAndNotify(tx, END_OF_USERS, [reason, actorId, orgId, userIds]);
  }

  override async endOutdated(tx: Tx, orgId: OrgId, limit: number, reason: string): Promise<number> {
    return await this.endAndNotify(tx, END_OUTDATED, [reason, null, orgId, limit]);
  }

  override async keepProviderSession(tx: Tx, sessionId: SessionId, of: ProviderSession): Promise<void> {
    const { providerSession = null, providerName = null, hint } = of;
    const kept = { idTokenSealed: hint?.sealed ?? null, dataKeyId: hint?.dataKeyId ?? null };
    const { providerId, subject } = of;
    const values = { providerId, subject, providerSession, providerName, ...kept };
    await this.providerSessions.put(tx, { sessionId }, values);
  }

  override async takeLeftAtProviders(ids: readonly SessionId[]): Promise<readonly ProviderLogoutHint[]> {
    type Row = Pick<ProviderSessionEntity, 'providerId' | 'subject' | 'idTokenSealed' | 'dataKeyId'>;
    const rows = await this.sql.rows<Row>(TAKE_LEFT, [ids]);
    return rows.flatMap(({ providerId, subject, idTokenSealed: sealed, dataKeyId }) =>
      sealed === null || dataKeyId === null ? [] : [{ providerId, subject, hint: { sealed, dataKeyId } }],
    );
  }

  override async admitProviderSession(tx: Tx, of: ProviderSession): Promise<boolean> {
    const { named, all } = namesOfSession(of);
    const hashes = named === undefined ? [all] : [named, all];
    await this.lockNames(tx, hashes);
    const { authenticatedAt = null, askedAt = null } = of;
    const values = [hashes, named ?? null, authenticatedAt, askedAt, heardHash(all)];
    return (await this.sql.row(HAS_ENDED, values, tx)) === undefined;
  }

  override async rememberEnded(tx: Tx, ended: ProviderSessionEnd | ProviderSessionByNameId): Promise<void> {
    const hashes = namesOfEnded(ended);
    await this.lockNames(tx, hashes);
    await this.sql.change(
      REMEMBER_ENDED,
      [hashes, ended.at, endsAll(ended) ? hashes.map(heardHash) : []],
      tx,
    );
  }

  override async listOfProvider(
    tx: Tx,
    { providerId, subject, providerSession, at }: ProviderSessionEnd,
  ): Promise<readonly SessionId[]> {
    const until = at + PROVIDER_SKEW_SECONDS;
    const rows = await (subject === undefined
      ? this.sql.rows<{ id: SessionId }>(OF_PROVIDER_BY_SESSION, [providerId, until, providerSession], tx)
      : this.sql.rows<{ id: SessionId }>(
          OF_PROVIDER_BY_SUBJECT,
          [providerId, until, subject, providerSession ?? null],
          tx,
        ));
    return rows.map(({ id }) => id);
  }

  override async listNamedByProvider(tx: Tx, ended: ProviderSessionByNameId): Promise<readonly SessionId[]> {
    const { providerId, at, providerName, providerSessions } = ended;
    const values = [providerId, at + PROVIDER_SKEW_SECONDS, providerName, providerSessions];
    return (await this.sql.rows<{ id: SessionId }>(NAMED_BY_PROVIDER, values, tx)).map(({ id }) => id);
  }

  /** In a fixed order, so that two transactions that lock several names do not deadlock. */
  private async lockNames(tx: Tx, hashes: readonly Buffer[]): Promise<void> {
    for (const name of hashes.map((hash) => hash.toString('base64')).toSorted()) {
      await advisoryLock(this.sql, tx, 'provider-sessions', name);
    }
  }

  override async listOfUser(orgId: OrgId, userId: UserId): Promise<readonly SessionRecord[]> {
    const rows = await this.ofUser.rows({ orgId, userId });
    return rows.map(({ device, authTime: authenticatedAt, ...row }) => ({
      ...row,
      ...(device !== null && { device }),
      authenticatedAt,
    }));
  }

  private async endAndNotify(tx: Tx, statement: Statement, values: readonly unknown[]): Promise<number> {
    const ended = await this.sql.rows<{ id: SessionId }>(statement, values, tx);
    if (ended.length > 0) {
      const values = [ended.map(({ id }) => id), DELIVER_LOGOUT, activeTraceparent() ?? null];
      await this.sql.change(ENQUEUE_NOTICES, values, tx);
    }
    return ended.length;
  }
}
