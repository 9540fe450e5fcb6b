// SQL by hand: a pushed request is good once, which the statement decides that takes it away
import { Injectable } from '@nestjs/common';
import type { AuthorizationRequest } from '../../../domain/authorize/auth-request.js';
import {
  PushedRequestsStore,
  type TakenRequest,
} from '../../../domain/authorize/request/pushed-requests.store.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { sweepOf, SWEPT_EVERY } from '../sweep.js';
import { PushedRequestEntity } from '../tables/pushed-request.entity.js';
import { written } from '../written.js';

const ADDED = written(PushedRequestEntity, ['hash', 'applicationId', 'request'], 2);
const ADD: Statement = {
  name: 'pushed-requests-add',
  text: `
    INSERT INTO pushed_requests (expires_at, ${ADDED.columns})
    VALUES (app_now() + make_interval(secs => $1), ${ADDED.parameters})`,
};
const SWEEP = sweepOf('pushed_requests');
const TAKE: Statement = {
  name: 'pushed-requests-take',
  text: `
    DELETE FROM pushed_requests p USING applications a
    WHERE p.hash = $1 AND a.id = p.application_id AND a.client_id = $2 AND p.expires_at > app_now()
    RETURNING p.request, p.expires_at AS "expiresAt"`,
};
const GIVE_BACK: Statement = {
  name: 'pushed-requests-give-back',
  text: `INSERT INTO pushed_requests (expires_at, ${ADDED.columns}) VALUES ($1, ${ADDED.parameters})`,
};

@Injectable()
export class PgPushedRequestsStore extends PushedRequestsStore {
  private added = 0;

  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(hash: Buffer, request: AuthorizationRequest, lifetimeSeconds: number): Promise<void> {
    const { applicationId } = request;
    await this.sql.change(ADD, [lifetimeSeconds, ...ADDED.valuesOf({ hash, applicationId, request })]);
    this.added += 1;
    // so that who pushes many makes no pile of them
    if (this.added % SWEPT_EVERY === 0) await this.sql.change(SWEEP, []);
  }

  override async take(hash: Buffer, clientId: string): Promise<TakenRequest | undefined> {
    const row = await this.sql.row<{ request: AuthorizationRequest; expiresAt: Date }>(TAKE, [
      hash,
      clientId,
    ]);
    return row && { hash, ...row };
  }

  override async giveBack({ hash, request, expiresAt }: TakenRequest): Promise<void> {
    const { applicationId } = request;
    await this.sql.change(GIVE_BACK, [expiresAt, ...ADDED.valuesOf({ hash, applicationId, request })]);
  }
}
