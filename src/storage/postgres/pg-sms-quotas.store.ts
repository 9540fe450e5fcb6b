import { Injectable } from '@nestjs/common';
import {
  type Conversion,
  type SmsQuota,
  type SmsQuotaState,
  SmsQuotasStore,
} from '../../domain/notifications/abuse/sms-quotas.store.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { Sql } from './sql.js';

const PEEK = {
  name: 'sms-quotas-peek',
  text: `
    SELECT id, used::float8 AS used, extract(epoch FROM ends_at - app_now())::float8 AS seconds_left
    FROM sms_quotas WHERE id = ANY ($1::text[]) AND ends_at > app_now()`,
};

// the update is what locks; whoever waited for it sees what the other one has committed, and begins no window twice
const HOLD = {
  name: 'sms-quotas-hold',
  text: `
    INSERT INTO sms_quotas AS q (id, ends_at)
    SELECT g.id, app_now() + make_interval(secs => g.seconds)
    FROM unnest($1::text[], $2::float8[]) AS g (id, seconds) ORDER BY g.id COLLATE "C"
    ON CONFLICT ON CONSTRAINT sms_quotas_pkey DO UPDATE SET
      used = CASE WHEN q.ends_at > app_now() THEN q.used ELSE 0 END,
      ends_at = CASE WHEN q.ends_at > app_now() THEN q.ends_at ELSE excluded.ends_at END
    RETURNING q.id, q.used::float8 AS used, extract(epoch FROM q.ends_at - app_now())::float8 AS seconds_left`,
};

const ADD = {
  name: 'sms-quotas-add',
  text: `
    UPDATE sms_quotas q SET used = q.used + g.amount
    FROM unnest($1::text[], $2::bigint[]) AS g (id, amount) WHERE q.id = g.id`,
};

const BLOCKS = {
  name: 'sms-blocks-find',
  text: `
    SELECT prefix, extract(epoch FROM blocked_until - app_now())::float8 AS seconds_left
    FROM sms_blocks WHERE prefix = ANY ($1::text[]) AND blocked_until > app_now()`,
};

const BLOCK = {
  name: 'sms-blocks-block',
  text: `
    INSERT INTO sms_blocks AS b (prefix, reason, blocked_until)
    VALUES ($1, $2, app_now() + make_interval(secs => $3::float8))
    ON CONFLICT ON CONSTRAINT sms_blocks_pkey DO UPDATE SET reason = excluded.reason,
      blocked_until = excluded.blocked_until, sequence = b.sequence + 1, changed_at = app_now()
    WHERE b.blocked_until < app_now() + make_interval(secs => $3::float8 / 2)
    RETURNING sequence`,
};

const RECORD_SEND = {
  name: 'sms-sends-add',
  text: `INSERT INTO sms_sends (code_id, prefix) VALUES ($1, $2)`,
};

const RECORD_VERIFIED = {
  name: 'sms-sends-verify',
  text: `UPDATE sms_sends SET verified_at = app_now() WHERE code_id = $1`,
};

const CONVERSION = {
  name: 'sms-sends-conversion',
  text: `
    SELECT count(*)::integer AS sent, count(verified_at)::integer AS verified FROM sms_sends
    WHERE prefix = $1 AND created_at <= app_now() - make_interval(secs => $3::float8)
      AND created_at > greatest(app_now() - make_interval(secs => $2::float8),
        (SELECT blocked_until FROM sms_blocks WHERE prefix = $1))`,
};

type QuotaRow = { id: string; used: number; seconds_left: number };

@Injectable()
export class PgSmsQuotasStore extends SmsQuotasStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async peek(ids: readonly string[]): Promise<ReadonlyMap<string, SmsQuotaState>> {
    return statesOf(await this.sql.rows<QuotaRow>(PEEK, [ids]));
  }

  override async hold(tx: Tx, quotas: readonly SmsQuota[]): Promise<ReadonlyMap<string, SmsQuotaState>> {
    const values = [quotas.map(({ id }) => id), quotas.map(({ windowSeconds }) => windowSeconds)];
    return statesOf(await this.sql.rows<QuotaRow>(HOLD, values, tx));
  }

  override async add(tx: Tx, amounts: ReadonlyMap<string, number>): Promise<void> {
    if (amounts.size === 0) return;
    await this.sql.change(ADD, [[...amounts.keys()], [...amounts.values()]], tx);
  }

  override async blocks(prefixes: readonly string[], tx?: Tx): Promise<ReadonlyMap<string, number>> {
    type BlockRow = { prefix: string; seconds_left: number };
    const rows = await this.sql.rows<BlockRow>(BLOCKS, [prefixes], tx);
    return new Map(rows.map(({ prefix, seconds_left: left }) => [prefix, Math.max(1, Math.ceil(left))]));
  }

  override async block(tx: Tx, prefix: string, reason: string, seconds: number): Promise<string | undefined> {
    return (await this.sql.row<{ sequence: string }>(BLOCK, [prefix, reason, seconds], tx))?.sequence;
  }

  override async recordSend(tx: Tx, codeId: string, prefix: string): Promise<void> {
    await this.sql.change(RECORD_SEND, [codeId, prefix], tx);
  }

  override async recordVerified(tx: Tx, codeId: string): Promise<void> {
    await this.sql.change(RECORD_VERIFIED, [codeId], tx);
  }

  override async conversion(
    prefix: string,
    windowSeconds: number,
    graceSeconds: number,
  ): Promise<Conversion> {
    const row = await this.sql.row<{ sent: number; verified: number }>(CONVERSION, [
      prefix,
      windowSeconds,
      graceSeconds,
    ]);
    return row ?? { sent: 0, verified: 0 };
  }
}

function statesOf(rows: readonly QuotaRow[]): ReadonlyMap<string, SmsQuotaState> {
  return new Map(rows.map(({ id, used, seconds_left: secondsLeft }) => [id, { used, secondsLeft }]));
}
