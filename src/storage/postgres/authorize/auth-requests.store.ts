// SQL by hand: every authorization request, and every step of its sign-in, changes a row by one of these, prepared; one conditional UPDATE answers a request once
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type {
  AuthorizationRequest,
  FoundAuthRequest,
  OpenAuthRequest,
  PendingIdentity,
} from '../../../domain/authorize/auth-request.js';
import { AuthRequestsStore, type TakenRequest } from '../../../domain/authorize/auth-requests.store.js';
import type { AuthRequestId, SessionId, UserAgentId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { sweepOf, SWEPT_EVERY } from '../sweep.js';
import { Table } from '../table.js';
import { AuthRequestEntity, type StoredPendingIdentity } from '../tables/auth-request.entity.js';
import { PushedRequestEntity } from '../tables/pushed-request.entity.js';
import { written } from '../written.js';

/** What of an authorization request is a column of its name. */
const REQUEST = [
  'applicationId',
  'redirectUri',
  'responseType',
  'responseMode',
  'scopes',
  'state',
  'nonce',
  'codeChallenge',
  'dpopJkt',
  'prompts',
  'maxAge',
  'acrValues',
  'acrEssential',
  'loginHint',
  'uiLocales',
  'hintedUserId',
  'claims',
  'deviceAuthorizationId',
  'pushed',
] as const satisfies readonly (keyof AuthorizationRequest & keyof AuthRequestEntity)[];
/** Values for a sign-in to our own pages, which no application requested. */
const NOT_ASKED = {
  scopes: [],
  prompts: [],
  uiLocales: [],
  acrValues: [],
  acrEssential: false,
  pushed: false,
};

/** One browser has this many on file at most, answered ones included: more tabs than anybody keeps for an hour. */
const MOST_OF_ONE_BROWSER = 50;

const ADDED = written(AuthRequestEntity, ['userAgentId', 'id', 'destination', 'sessionId', ...REQUEST], 2);
const ADD = {
  name: 'auth-requests-add',
  text: `
    WITH surplus AS (
      SELECT id FROM auth_requests WHERE user_agent_id = $2 ORDER BY created_at DESC OFFSET ${MOST_OF_ONE_BROWSER - 1}
    ), ours AS (
      -- a locked row is just being answered or deleted by another request; waiting for it could deadlock
      SELECT id FROM auth_requests WHERE id IN (SELECT id FROM surplus) FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM auth_requests WHERE id IN (SELECT id FROM ours)
    )
    INSERT INTO auth_requests (expires_at, ${ADDED.columns})
    VALUES (app_now() + make_interval(secs => $1), ${ADDED.parameters})`,
};
const READ = ['id', 'userAgentId', 'destination', 'sessionId', 'pendingIdentity', ...REQUEST] as const;

/** @param which a condition on the request `r` */
function authRequests(which: string) {
  return (entities: EntityManager) =>
    selecting(entities.createQueryBuilder(AuthRequestEntity, 'r'), READ)
      .addSelect('extract(epoch FROM r.createdAt)::float8', 'begunAt')
      .where(which);
}
const IN_BROWSER = 'r.id = :id AND r.userAgentId = :userAgentId';

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

const KEEP_IDENTITY = {
  name: 'auth-requests-keep-identity',
  text: `
    UPDATE auth_requests
    SET pending_identity = $2::jsonb || jsonb_build_object('keptAt', extract(epoch FROM app_now())::float8)
    WHERE id = $1 AND ended_at IS NULL`,
};

const DROP_ACR = {
  name: 'auth-requests-drop-acr',
  text: `UPDATE auth_requests SET acr_values = '{}' WHERE id = $1 AND ended_at IS NULL AND NOT acr_essential`,
};

const SWEEP_PUSHED = sweepOf('pushed_requests');
const TAKE_PUSHED = {
  name: 'pushed-requests-take',
  text: `
    DELETE FROM pushed_requests p USING applications a
    WHERE p.hash = $1 AND a.id = p.application_id AND a.client_id = $2 AND p.expires_at > app_now()
    RETURNING p.request, p.expires_at AS "expiresAt"`,
};

type NewPending = Omit<PendingIdentity, 'keptAt'>;

type AuthRequestRow = Pick<AuthRequestEntity, (typeof READ)[number]> & Pick<FoundAuthRequest, 'begunAt'>;
interface InBrowser {
  readonly id: AuthRequestId;
  readonly userAgentId: UserAgentId;
}

function toRequest(row: AuthRequestRow): AuthorizationRequest | undefined {
  if (row.applicationId === null || row.redirectUri === null || row.responseType === null) return undefined;
  const asked = REQUEST.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]]));
  return {
    responseMode: 'query',
    ...(Object.fromEntries(asked) as Omit<AuthorizationRequest, 'responseMode'>),
  };
}

/** Bytes as base64, for a JSON column. */
function toStored({
  providerSession,
  isOwnerVerified: isProven,
  ...identity
}: NewPending): Omit<StoredPendingIdentity, 'keptAt'> {
  const pending = { ...identity, isProven };
  if (providerSession === undefined) return pending;
  const { hint, ...session } = providerSession;
  if (hint === undefined) return { ...pending, providerSession: session };
  const sealed = hint.sealed.toString('base64');
  return { ...pending, providerSession: { ...session, hint: { ...hint, sealed } } };
}

function toPending({
  providerSession,
  isProven: isOwnerVerified,
  ...identity
}: StoredPendingIdentity): PendingIdentity {
  const pending = { ...identity, isOwnerVerified };
  if (providerSession === undefined) return pending;
  const { hint, ...session } = providerSession;
  if (hint === undefined) return { ...pending, providerSession: session };
  const sealed = Buffer.from(hint.sealed, 'base64');
  return { ...pending, providerSession: { ...session, hint: { ...hint, sealed } } };
}

function toFound(row: AuthRequestRow): FoundAuthRequest {
  const { id, userAgentId, destination, begunAt, sessionId, pendingIdentity } = row;
  const request = toRequest(row);
  return {
    id,
    userAgentId,
    destination,
    begunAt,
    ...(request === undefined ? { ownScopes: row.scopes } : { request }),
    ...(sessionId !== null && { sessionId }),
    ...(pendingIdentity !== null && { pendingIdentity: toPending(pendingIdentity) }),
  };
}

@Injectable()
export class PgAuthRequestsStore extends AuthRequestsStore {
  private readonly pushed: Table<PushedRequestEntity>;
  private readonly open: Query<AuthRequestRow, InBrowser>;
  private readonly over: Query<AuthRequestRow, InBrowser>;
  private readonly any: Query<AuthRequestRow, { readonly id: AuthRequestId }>;
  private pushes = 0;

  constructor(private readonly sql: Sql) {
    super();
    this.pushed = new Table(sql, PushedRequestEntity);
    this.open = new Query(
      sql,
      'auth-requests-find-open',
      authRequests(`${IN_BROWSER} AND r.endedAt IS NULL AND r.expiresAt > app_now()`),
    );
    this.over = new Query(
      sql,
      'auth-requests-find-over',
      authRequests(`${IN_BROWSER} AND (r.endedAt IS NOT NULL OR r.expiresAt <= app_now())`),
    );
    this.any = new Query(sql, 'auth-requests-find-any', authRequests('r.id = :id'));
  }

  override async add(open: OpenAuthRequest, lifetimeSeconds: number): Promise<void> {
    const { request, ownScopes, ...rest } = open;
    const own = ownScopes && { scopes: [...ownScopes] };
    const values = ADDED.valuesOf({ ...NOT_ASKED, ...own, ...request, ...rest });
    await this.sql.change(ADD, [lifetimeSeconds, ...values]);
  }

  override async findOpen(
    id: AuthRequestId,
    userAgentId: UserAgentId,
  ): Promise<FoundAuthRequest | undefined> {
    const row = await this.open.row({ id, userAgentId });
    return row && toFound(row);
  }

  override async findOver(
    id: AuthRequestId,
    userAgentId: UserAgentId,
  ): Promise<FoundAuthRequest | undefined> {
    const row = await this.over.row({ id, userAgentId });
    return row && toFound(row);
  }

  override async findAny(id: AuthRequestId): Promise<FoundAuthRequest | undefined> {
    const row = await this.any.row({ id });
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

  override async keepIdentity(id: AuthRequestId, identity: NewPending): Promise<void> {
    await this.sql.change(KEEP_IDENTITY, [id, JSON.stringify(toStored(identity))]);
  }

  override async dropAcr(tx: Tx, id: AuthRequestId): Promise<boolean> {
    return (await this.sql.change(DROP_ACR, [id], tx)) === 1;
  }

  override async addPushed(
    hash: Buffer,
    request: AuthorizationRequest,
    lifetimeSeconds: number,
  ): Promise<void> {
    const { applicationId } = request;
    const expiresAt = () => `app_now() + make_interval(secs => ${lifetimeSeconds})`;
    await this.pushed.add(undefined, { hash, applicationId, request, expiresAt });
    this.pushes += 1;
    // so that a client that pushes many requests does not fill the table
    if (this.pushes % SWEPT_EVERY === 0) await this.sql.change(SWEEP_PUSHED, []);
  }

  override async takePushed(hash: Buffer, clientId: string): Promise<TakenRequest | undefined> {
    const row = await this.sql.row<{ request: AuthorizationRequest; expiresAt: Date }>(TAKE_PUSHED, [
      hash,
      clientId,
    ]);
    return row && { hash, ...row };
  }

  override async giveBackPushed({ hash, request, expiresAt }: TakenRequest): Promise<void> {
    const { applicationId } = request;
    await this.pushed.add(undefined, { hash, applicationId, request, expiresAt });
  }
}
