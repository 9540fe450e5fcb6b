import { Injectable } from '@nestjs/common';
import {
  IdempotencyStore,
  type KeyScope,
  type StoredAnswer,
} from '../../../domain/idempotency/idempotency.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

const FIND = {
  name: 'idempotency-find',
  text: `
    SELECT fingerprint, status, body_sealed, data_key_id FROM idempotency_keys
    WHERE caller = $1 AND org_id = $2 AND route = $3 AND key = $4 AND expires_at > app_now()`,
};

const TRY_LOCK = {
  name: 'idempotency-try-lock',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency key ' || $1::text, 0)) AS locked`,
};

const SAVE = {
  name: 'idempotency-save',
  text: `
    INSERT INTO idempotency_keys (caller, org_id, route, key, fingerprint, status, body_sealed, data_key_id, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, app_now() + make_interval(secs => $9::float8 / 1000))
    ON CONFLICT ON CONSTRAINT idempotency_keys_pkey DO UPDATE SET fingerprint = excluded.fingerprint,
      status = excluded.status, body_sealed = excluded.body_sealed, data_key_id = excluded.data_key_id,
      expires_at = excluded.expires_at, created_at = excluded.created_at`,
};

type AnswerRow = { fingerprint: Buffer; status: number; body_sealed: Buffer; data_key_id: number };

@Injectable()
export class PgIdempotencyStore extends IdempotencyStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(scope: KeyScope, tx?: Tx): Promise<StoredAnswer | undefined> {
    const row = await this.sql.row<AnswerRow>(FIND, columnsOf(scope), tx);
    return (
      row && {
        fingerprint: row.fingerprint,
        status: row.status,
        dataKeyId: row.data_key_id,
        sealed: row.body_sealed,
      }
    );
  }

  override async tryLock(tx: Tx, scope: KeyScope): Promise<boolean> {
    const values = [JSON.stringify(columnsOf(scope))];
    return (await this.sql.row<{ locked: boolean }>(TRY_LOCK, values, tx))?.locked === true;
  }

  override async save(tx: Tx, scope: KeyScope, answer: StoredAnswer, lifetimeMs: number): Promise<void> {
    const { fingerprint, status, sealed, dataKeyId } = answer;
    const values = [...columnsOf(scope), fingerprint, status, sealed, dataKeyId, lifetimeMs];
    await this.sql.change(SAVE, values, tx);
  }
}

function columnsOf({ caller, orgId, route, key }: KeyScope): string[] {
  return [caller, orgId, route, key];
}
