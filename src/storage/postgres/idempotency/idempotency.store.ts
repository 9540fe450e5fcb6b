// SQL by hand for the lock: pg_try_advisory_xact_lock does not wait, so that a duplicate request is answered at once
import { Injectable } from '@nestjs/common';
import {
  IdempotencyStore,
  type KeyScope,
  type StoredAnswer,
} from '../../../domain/idempotency/idempotency.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { AHEAD, pick, Table } from '../table.js';
import { IdempotencyKeyEntity } from '../tables/idempotency-key.entity.js';

const TRY_LOCK = {
  name: 'idempotency-try-lock',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency key ' || $1::text, 0)) AS locked`,
};

@Injectable()
export class PgIdempotencyStore extends IdempotencyStore {
  private readonly rows: Table<IdempotencyKeyEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, IdempotencyKeyEntity);
  }

  override async find(scope: KeyScope, tx?: Tx): Promise<StoredAnswer | undefined> {
    const row = await this.rows.find({ ...keyOf(scope), expiresAt: AHEAD }, tx);
    return row && { ...pick(row, ['fingerprint', 'status', 'dataKeyId']), sealed: row.bodySealed };
  }

  override async tryLock(tx: Tx, scope: KeyScope): Promise<boolean> {
    const values = [JSON.stringify(Object.values(keyOf(scope)))];
    return (await this.sql.row<{ locked: boolean }>(TRY_LOCK, values, tx))?.locked === true;
  }

  override async save(tx: Tx, scope: KeyScope, answer: StoredAnswer, lifetimeMs: number): Promise<void> {
    const { sealed: bodySealed, ...rest } = answer;
    const expiresAt = () => `app_now() + interval '${lifetimeMs} ms'`;
    const values = { ...pick(rest, ['fingerprint', 'status', 'dataKeyId']), bodySealed, expiresAt };
    await this.rows.put(tx, keyOf(scope), values, ['createdAt']);
  }
}

function keyOf(scope: KeyScope): KeyScope {
  return pick(scope, ['caller', 'orgId', 'route', 'key']);
}
