// SQL by hand: every authorization adds or reads one, prepared, and each is answered once
import { Injectable } from '@nestjs/common';
import type { ResponseType } from '../../../domain/applications/oidc-config.js';
import type { ClaimsRequest } from '../../../domain/authorizations/claims-request.js';
import type {
  AuthorizationRequest,
  FoundAuthRequest,
  OpenAuthRequest,
  ResponseMode,
} from '../../../domain/authorize/auth-request.js';
import { AuthRequestsStore } from '../../../domain/authorize/auth-requests.store.js';
import type { ApplicationId, AuthRequestId, SessionId, UserAgentId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

/** One browser has this many on file at most, answered ones included: more tabs than anybody keeps for an hour. */
const MOST_OF_ONE_BROWSER = 50;

const ADD = {
  name: 'auth-requests-add',
  text: `
    WITH surplus AS (
      SELECT id FROM auth_requests WHERE user_agent_id = $2 ORDER BY created_at DESC OFFSET ${MOST_OF_ONE_BROWSER - 1}
    ), ours AS (
      -- whoever holds a row is about to answer or to remove it; waiting for each other would end in a deadlock
      SELECT id FROM auth_requests WHERE id IN (SELECT id FROM surplus) FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM auth_requests WHERE id IN (SELECT id FROM ours)
    )
    INSERT INTO auth_requests (id, user_agent_id, destination, application_id, redirect_uri, response_type,
      response_mode, scopes, state, nonce, code_challenge, prompts, max_age, login_hint, ui_locales,
      hinted_user_id, session_id, claims, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
      app_now() + make_interval(secs => $19))`,
};
const COLUMNS = `id, user_agent_id, destination, application_id, redirect_uri, response_type, response_mode, scopes,
  state, nonce, code_challenge, prompts, max_age, login_hint, ui_locales, hinted_user_id, session_id, claims,
  extract(epoch FROM created_at)::float8 AS begun_at`;
const FIND_OPEN = {
  name: 'auth-requests-find-open',
  text: `
    SELECT ${COLUMNS}
    FROM auth_requests WHERE id = $1 AND user_agent_id = $2 AND ended_at IS NULL AND expires_at > app_now()`,
};
const FIND_OVER = {
  name: 'auth-requests-find-over',
  text: `
    SELECT ${COLUMNS}
    FROM auth_requests WHERE id = $1 AND user_agent_id = $2 AND (ended_at IS NOT NULL OR expires_at <= app_now())`,
};
const FIND_ANY = {
  name: 'auth-requests-find-any',
  text: `SELECT ${COLUMNS} FROM auth_requests WHERE id = $1`,
};
const CLOSE = {
  name: 'auth-requests-close',
  text: `UPDATE auth_requests SET ended_at = app_now()
         WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now()`,
};
const AWAIT_STEP = {
  name: 'auth-requests-await-step',
  text: `UPDATE auth_requests SET session_id = $2
         WHERE id = $1 AND ended_at IS NULL AND expires_at > app_now()`,
};
const SUGGEST_NAME = {
  name: 'auth-requests-suggest-name',
  text: `UPDATE auth_requests SET login_hint = $2 WHERE id = $1 AND ended_at IS NULL`,
};

type AuthRequestRow = {
  id: AuthRequestId;
  user_agent_id: UserAgentId;
  destination: OpenAuthRequest['destination'];
  application_id: ApplicationId | null;
  redirect_uri: string | null;
  response_type: ResponseType | null;
  response_mode: ResponseMode | null;
  scopes: string[];
  state: string | null;
  nonce: string | null;
  code_challenge: string | null;
  prompts: string[];
  max_age: number | null;
  login_hint: string | null;
  ui_locales: string[];
  hinted_user_id: string | null;
  session_id: SessionId | null;
  begun_at: number;
  claims: ClaimsRequest | null;
};

function toRequest(row: AuthRequestRow): AuthorizationRequest | undefined {
  const { application_id: applicationId, redirect_uri: redirectUri, response_type: responseType } = row;
  if (applicationId === null || redirectUri === null || responseType === null) return undefined;
  return {
    applicationId,
    redirectUri,
    responseType,
    responseMode: row.response_mode ?? 'query',
    scopes: row.scopes,
    prompts: row.prompts,
    uiLocales: row.ui_locales,
    ...(row.state === null ? {} : { state: row.state }),
    ...(row.nonce === null ? {} : { nonce: row.nonce }),
    ...(row.code_challenge === null ? {} : { codeChallenge: row.code_challenge }),
    ...(row.max_age === null ? {} : { maxAge: row.max_age }),
    ...(row.login_hint === null ? {} : { loginHint: row.login_hint }),
    ...(row.claims === null ? {} : { claims: row.claims }),
    ...(row.hinted_user_id === null ? {} : { hintedUserId: row.hinted_user_id }),
  };
}

function toFound(row: AuthRequestRow): FoundAuthRequest {
  const request = toRequest(row);
  return {
    id: row.id,
    userAgentId: row.user_agent_id,
    destination: row.destination,
    begunAt: row.begun_at,
    ...(request === undefined ? {} : { request }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
  };
}

@Injectable()
export class PgAuthRequestsStore extends AuthRequestsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(open: OpenAuthRequest, lifetimeSeconds: number): Promise<void> {
    const { request } = open;
    await this.sql.change(ADD, [
      open.id,
      open.userAgentId,
      open.destination,
      request?.applicationId ?? null,
      request?.redirectUri ?? null,
      request?.responseType ?? null,
      request?.responseMode ?? null,
      request?.scopes ?? [],
      request?.state ?? null,
      request?.nonce ?? null,
      request?.codeChallenge ?? null,
      request?.prompts ?? [],
      request?.maxAge ?? null,
      request?.loginHint ?? null,
      request?.uiLocales ?? [],
      request?.hintedUserId ?? null,
      open.sessionId ?? null,
      request?.claims === undefined ? null : JSON.stringify(request.claims),
      lifetimeSeconds,
    ]);
  }

  override async findOpen(
    id: AuthRequestId,
    userAgentId: UserAgentId,
  ): Promise<FoundAuthRequest | undefined> {
    const row = await this.sql.row<AuthRequestRow>(FIND_OPEN, [id, userAgentId]);
    return row && toFound(row);
  }

  override async findOver(
    id: AuthRequestId,
    userAgentId: UserAgentId,
  ): Promise<FoundAuthRequest | undefined> {
    const row = await this.sql.row<AuthRequestRow>(FIND_OVER, [id, userAgentId]);
    return row && toFound(row);
  }

  override async findAny(id: AuthRequestId): Promise<FoundAuthRequest | undefined> {
    const row = await this.sql.row<AuthRequestRow>(FIND_ANY, [id]);
    return row && toFound(row);
  }

  override async close(tx: Tx, id: AuthRequestId): Promise<boolean> {
    return (await this.sql.change(CLOSE, [id], tx)) === 1;
  }

  override async awaitStep(tx: Tx, id: AuthRequestId, sessionId: SessionId): Promise<boolean> {
    return (await this.sql.change(AWAIT_STEP, [id, sessionId], tx)) === 1;
  }

  override async suggestName(id: AuthRequestId, loginName: string): Promise<void> {
    await this.sql.change(SUGGEST_NAME, [id, loginName]);
  }
}
