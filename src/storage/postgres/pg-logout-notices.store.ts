import { Injectable } from '@nestjs/common';
import {
  type ClaimedLogoutNotice,
  type LogoutClaim,
  LogoutNoticesStore,
} from '../../domain/logout/logout-notices.store.js';
import type { ClientId, LogoutNoticeId, OrgId, SessionId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

// the applications of an organization that was removed are told that its users are gone
const CLAIM = {
  name: 'logout-notices-claim',
  text: `
    WITH claimed AS (
      UPDATE logout_notices SET state = 'sending', fence = fence + 1, attempts = attempts + 1,
        claimed_until = app_now() + make_interval(secs => $2::float8 / 1000)
      WHERE id = $1 AND (state = 'pending' OR (state = 'sending' AND claimed_until < app_now()))
      RETURNING *
    )
    SELECT n.id, n.fence, n.attempts, n.last_error, n.outbox_id, n.org_id, n.user_id, n.session_id, a.client_id,
      a.state = 'active' AND p.state = 'active' AND o.state <> 'inactive' AS application_active,
      a.dev_mode, a.clock_skew_seconds, a.back_channel_logout_uri AS uri
    FROM claimed n
    JOIN applications a ON a.id = n.application_id
    JOIN projects p ON p.id = a.project_id
    JOIN organizations o ON o.id = a.org_id`,
};

const WHY_NOT_CLAIMED = {
  name: 'logout-notices-why-not-claimed',
  text: `SELECT state, extract(epoch FROM claimed_until - app_now())::float8 * 1000 AS lapses_in_ms
         FROM logout_notices WHERE id = $1`,
};

const END = {
  name: 'logout-notices-end',
  text: `
    UPDATE logout_notices SET state = $3, last_error = $4, finished_at = app_now(), claimed_until = NULL
    WHERE id = $1 AND fence = $2 AND state = 'sending'`,
};

const RELEASE = {
  name: 'logout-notices-release',
  text: `
    UPDATE logout_notices SET state = 'pending', last_error = $3, claimed_until = NULL
    WHERE id = $1 AND fence = $2 AND state = 'sending'`,
};

type ClaimedRow = {
  id: LogoutNoticeId;
  fence: string;
  attempts: number;
  last_error: string | null;
  outbox_id: string | null;
  org_id: OrgId;
  user_id: UserId;
  session_id: SessionId;
  client_id: ClientId;
  application_active: boolean;
  dev_mode: boolean;
  clock_skew_seconds: number;
  uri: string | null;
};

@Injectable()
export class PgLogoutNoticesStore extends LogoutNoticesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async claim(id: LogoutNoticeId, holdMs: number): Promise<LogoutClaim> {
    const row = await this.sql.row<ClaimedRow>(CLAIM, [id, holdMs]);
    if (row === undefined) return await this.whyNotClaimed(id);
    const notice = {
      id: row.id,
      fence: row.fence,
      attempts: row.attempts,
      lastError: row.last_error,
      outboxId: row.outbox_id,
      orgId: row.org_id,
      userId: row.user_id,
      sessionId: row.session_id,
      clientId: row.client_id,
      applicationActive: row.application_active,
      devMode: row.dev_mode,
      clockSkewSeconds: row.clock_skew_seconds,
      uri: row.uri,
    };
    return { kind: 'claimed', notice };
  }

  override async markDelivered(tx: Tx, claim: ClaimedLogoutNotice): Promise<boolean> {
    return (await this.sql.change(END, [claim.id, claim.fence, 'delivered', null], tx)) === 1;
  }

  override async markAbandoned(tx: Tx, claim: ClaimedLogoutNotice, reason: string): Promise<boolean> {
    return (await this.sql.change(END, [claim.id, claim.fence, 'abandoned', reason], tx)) === 1;
  }

  override async release(claim: ClaimedLogoutNotice, reason: string): Promise<boolean> {
    return (await this.sql.change(RELEASE, [claim.id, claim.fence, reason])) === 1;
  }

  private async whyNotClaimed(id: LogoutNoticeId): Promise<LogoutClaim> {
    type UnclaimedRow = { state: string; lapses_in_ms: number | null };
    const row = await this.sql.row<UnclaimedRow>(WHY_NOT_CLAIMED, [id]);
    if (row === undefined || row.state === 'delivered' || row.state === 'abandoned') {
      return { kind: 'finished' };
    }
    return { kind: 'busy', retryInMs: Math.max(0, Math.ceil(row.lapses_in_ms ?? 0)) };
  }
}
