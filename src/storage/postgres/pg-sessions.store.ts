import { Injectable } from '@nestjs/common';
import type { BrowserAgent, Session, SessionStep } from '../../domain/sessions/session.js';
import type { SessionSettings } from '../../domain/sessions/session-settings.js';
import { type NewSession, SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { OrgId, SessionId, UserAgentId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

const SESSION_COLUMNS = `s.id, s.org_id, s.user_id, s.user_agent_id,
  extract(epoch FROM app_now() - s.auth_time)::float8 AS auth_age,
  CASE
    WHEN (SELECT p.change_required FROM user_passwords p WHERE p.user_id = s.user_id) THEN 'change-password'
    WHEN (SELECT NOT h.email_verified FROM user_humans h WHERE h.user_id = s.user_id) THEN 'verify-email'
  END AS step`;
// the session of a user who was deactivated, or whose tokens were all ended, is not offered again
const USER_UNCHANGED = `u.state = 'active' AND u.token_epoch = s.subject_epoch`;

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
const START = {
  name: 'sessions-start',
  text: `
    INSERT INTO sessions AS s (id, org_id, user_id, user_agent_id, auth_time, amr, subject_epoch)
    SELECT $1, u.org_id, u.id, $4, app_now(), $5, u.token_epoch FROM users u
    WHERE u.id = $3 AND u.org_id = $2 AND u.state = 'active'
    ON CONFLICT (user_agent_id, user_id) WHERE ended_at IS NULL DO UPDATE
      SET auth_time = excluded.auth_time, amr = excluded.amr, subject_epoch = excluded.subject_epoch,
          last_used_at = app_now()
    RETURNING ${SESSION_COLUMNS}`,
};
const END = {
  name: 'sessions-end',
  text: `
    WITH ended AS (
      UPDATE sessions SET ended_at = app_now(), end_reason = $2 WHERE id = ANY ($1) AND ended_at IS NULL
      RETURNING id, org_id, user_id
    )
    INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
    SELECT org_id, 'session', id, 2, 'session.ended', coalesce($3::text, user_id),
           jsonb_build_object('reason', $2::text) FROM ended`,
};
const FIND_LIVE = {
  name: 'sessions-find-live',
  text: `SELECT ${SESSION_COLUMNS} FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.id = $1 AND s.user_agent_id = $2 AND s.ended_at IS NULL AND ${USER_UNCHANGED}`,
};

type SessionRow = {
  id: SessionId;
  org_id: OrgId;
  user_id: UserId;
  user_agent_id: UserAgentId;
  auth_age: number;
  step: SessionStep | null;
};

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    orgId: row.org_id,
    userId: row.user_id,
    userAgentId: row.user_agent_id,
    authAgeSeconds: row.auth_age,
    ...(row.step === null ? {} : { step: row.step }),
  };
}

@Injectable()
export class PgSessionsStore extends SessionsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findAgent(
    secretHash: Buffer,
    { idleSeconds, absoluteSeconds }: SessionSettings,
  ): Promise<BrowserAgent | undefined> {
    type AgentRow = { agent_id: UserAgentId } & ((SessionRow & { lapsed: boolean }) | { id: null });
    const rows = await this.sql.rows<AgentRow>(FIND_AGENT, [secretHash, idleSeconds, absoluteSeconds]);
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
    const row = await this.sql.row<SessionRow>(
      START,
      [session.id, session.orgId, session.userId, session.userAgentId, session.amr],
      tx,
    );
    return row === undefined ? undefined : toSession(row);
  }

  override async end(
    tx: Tx,
    ids: readonly SessionId[],
    reason: string,
    actorId: UserId | null,
  ): Promise<number> {
    return await this.sql.change(END, [ids, reason, actorId], tx);
  }

  override async findLive(tx: Tx, id: SessionId, userAgentId: UserAgentId): Promise<Session | undefined> {
    const row = await this.sql.row<SessionRow>(FIND_LIVE, [id, userAgentId], tx);
    return row === undefined ? undefined : toSession(row);
  }
}
