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
import { Table } from '../table.js';
import { PushedRequestEntity } from '../tables/pushed-request.entity.js';

const SWEEP = sweepOf('pushed_requests');
const TAKE: Statement = {
  name: 'pushed-requests-take',
  text: `
    DELETE FROM pushed_requests p USING applications a
    WHERE p.hash = $1 AND a.id = p.application_id AND a.client_id = $2 AND p.expires_at > app_now()
    RETURNING p.request, p.expires_at AS "expiresAt"`,
};
@Injectable()
export class PgPushedRequestsStore extends PushedRequestsStore {
  private readonly rows: Table<PushedRequestEntity>;
  private added = 0;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, PushedRequestEntity);
  }

  override async add(hash: Buffer, request: AuthorizationRequest, lifetimeSeconds: number): Promise<void> {
    const { applicationId } = request;
    const expiresAt = () => `app_now() + make_interval(secs => ${lifetimeSeconds})`;
    await this.rows.add(undefined, { hash, applicationId, request, expiresAt });
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
    await this.rows.add(undefined, { hash, applicationId, request, expiresAt });
  }
}
