// SQL by hand: quotas are locked, moved to the next window and raised by one statement each, by the database's clock
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  SmsLimitsStore,
  type Conversion,
  type LiveSmsBlock,
  type SmsBlock,
  type SmsCount,
  type SmsQuota,
  type SmsQuotaState,
} from '../../../domain/notifications/abuse/sms-limits.store.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { instanceOwner } from '../instance-owner.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { AHEAD, COUNTED, detailsWithOwner, PagedTable, pick, Table } from '../table.js';
import { SmsBlockEntity } from '../tables/sms-block.entity.js';
import { SmsSendEntity } from '../tables/sms-send.entity.js';

const STATE = `id, used::float8 AS used, earlier::float8[] AS earlier,
  extract(epoch FROM ends_at - app_now())::float8 AS seconds_left, coalesce(quiet_until > app_now(), false) AS reported`;

const PEEK = {
  name: 'sms-quotas-peek',
  text: `SELECT ${STATE} FROM sms_quotas WHERE id = ANY ($1::text[]) AND ends_at > app_now()`,
};

/**
 * A window consists of parts. The current part, counted in `used`, ends one window before `ends_at`. If some parts have `passed` since
 * the row was written, `used` is appended to `earlier`, followed by zeros, and parts older than a window are dropped. If the whole
 * window has passed (`over`), a new one begins now.
 */
// DO UPDATE locks the row: a transaction that waited for it sees what the other one committed, and does not begin a window twice
const LOCK_FOR_UPDATE = {
  name: 'sms-quotas-lock-for-update',
  text: `
    WITH moment AS (SELECT app_now() AS now), given AS (
      SELECT g.id, g.window_seconds AS span, g.part_seconds AS part,
        coalesce(round(g.window_seconds / nullif(g.part_seconds, 0))::integer, 0) AS parts
      FROM unnest($1::text[], $2::float8[], $3::float8[]) AS g (id, window_seconds, part_seconds)
    )
    INSERT INTO sms_quotas AS q (id, ends_at)
    SELECT id, now + make_interval(secs => part + span) FROM given, moment ORDER BY id COLLATE "C"
    ON CONFLICT ON CONSTRAINT sms_quotas_pkey DO UPDATE SET (used, earlier, ends_at) = (
      SELECT CASE WHEN over OR passed > 0 THEN 0 ELSE q.used END,
        CASE WHEN over THEN '{}' WHEN passed = 0 THEN q.earlier ELSE kept[greatest(1, cardinality(kept) - parts + 1):] END,
        CASE WHEN over THEN excluded.ends_at ELSE q.ends_at + make_interval(secs => passed * part) END
      FROM given, moment,
        LATERAL (SELECT q.ends_at <= now AS over, CASE WHEN part = 0 THEN 0 ELSE greatest(0, 1 + floor(
          (extract(epoch FROM now - q.ends_at)::float8 + span) / part)) END AS passed) AS gone,
        LATERAL (SELECT CASE WHEN over OR passed = 0 THEN '{}' ELSE
          q.earlier || q.used || array_fill(0::bigint, ARRAY[passed::integer - 1]) END AS kept) AS moved
      WHERE given.id = q.id)
    RETURNING ${STATE}`,
};

const ADD = {
  name: 'sms-quotas-add',
  text: `
    UPDATE sms_quotas q SET used = q.used + g.amount,
      quiet_until = CASE WHEN g.reached THEN q.ends_at ELSE q.quiet_until END
    FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS g (id, amount, reached) WHERE q.id = g.id`,
};

function liveBlocks(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(SmsBlockEntity, 'b'), ['prefix', 'reason'])
    .addSelect('ceil(extract(epoch FROM b.blockedUntil - app_now()))::int', 'secondsLeft')
    .where('b.prefix = ANY (:prefixes) AND b.blockedUntil > app_now()');
}

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

const CONVERSION = {
  name: 'sms-sends-conversion',
  text: `
    SELECT count(*)::integer AS sent, count(verified_at)::integer AS verified FROM sms_sends
    WHERE prefix = $1 AND created_at <= app_now() - make_interval(secs => $3::float8)
      AND created_at > greatest(app_now() - make_interval(secs => $2::float8),
        (SELECT blocked_until FROM sms_blocks WHERE prefix = $1))`,
};

type QuotaRow = { id: string; used: number; earlier: number[]; seconds_left: number; reported: boolean };

@Injectable()
export class PgSmsLimitsStore extends SmsLimitsStore {
  private readonly blockRows: Table<SmsBlockEntity>;
  private readonly live: Query<LiveSmsBlock & { prefix: string }, { readonly prefixes: readonly string[] }>;
  private readonly blockPages: PagedTable<SmsBlockEntity>;
  private readonly sends: Table<SmsSendEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.blockRows = new Table(sql, SmsBlockEntity);
    this.live = new Query(sql, 'sms-blocks-find', liveBlocks);
    this.blockPages = new PagedTable(sql, 'sms-blocks-list', SmsBlockEntity, [], {
      listedBy: 'prefix',
      times: ['blockedUntil'],
      only: 't.blocked_until > (SELECT app_now())',
    });
    this.sends = new Table(sql, SmsSendEntity);
  }

  override async peekQuotas(quotas: readonly SmsQuota[]): Promise<ReadonlyMap<string, SmsQuotaState>> {
    return statesOf(quotas, await this.sql.rows<QuotaRow>(PEEK, [quotas.map(({ id }) => id)]));
  }

  override async lockQuotas(
    tx: Tx,
    quotas: readonly SmsQuota[],
  ): Promise<ReadonlyMap<string, SmsQuotaState>> {
    const values = [
      quotas.map(({ id }) => id),
      quotas.map(({ windowSeconds }) => windowSeconds),
      quotas.map(({ partSeconds }) => partSeconds),
    ];
    return statesOf(quotas, await this.sql.rows<QuotaRow>(LOCK_FOR_UPDATE, values, tx));
  }

  override async addToQuotas(
    tx: Tx,
    amounts: ReadonlyMap<string, number>,
    reached: ReadonlySet<string>,
  ): Promise<void> {
    if (amounts.size === 0) return;
    const ids = [...amounts.keys()];
    await this.sql.change(ADD, [ids, [...amounts.values()], ids.map((id) => reached.has(id))], tx);
  }

  override async blocks(prefixes: readonly string[], tx?: Tx): Promise<ReadonlyMap<string, LiveSmsBlock>> {
    const rows = await this.live.rows({ prefixes }, tx);
    return new Map(rows.map(({ prefix, ...block }) => [prefix, block]));
  }

  override async block(tx: Tx, prefix: string, reason: string, seconds: number): Promise<string | undefined> {
    return (await this.sql.row<{ sequence: string }>(BLOCK, [prefix, reason, seconds], tx))?.sequence;
  }

  override async listBlocks(query: PageQuery): Promise<Page<SmsBlock>> {
    const owner = await instanceOwner(this.sql);
    return await this.blockPages.list(query, {}, (row) => toBlock(row, owner));
  }

  override async liftBlock(tx: Tx, prefix: string): Promise<SmsBlock | undefined> {
    const live = { prefix, blockedUntil: AHEAD };
    // the row stays: what was queued before it ended counts for nothing (CONVERSION)
    const [row] = await this.blockRows.change(tx, live, { blockedUntil: () => 'app_now()', ...COUNTED });
    return row && toBlock(row, await instanceOwner(this.sql, tx));
  }

  override async recordSend(tx: Tx, codeId: string, prefix: string): Promise<void> {
    await this.sends.add(tx, { codeId, prefix });
  }

  override async recordVerified(tx: Tx, codeId: string): Promise<void> {
    await this.sends.changeAll(tx, { codeId }, { verifiedAt: () => 'app_now()' });
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

function toBlock(row: SmsBlockEntity, owner: OrgId): SmsBlock {
  return { ...pick(row, ['prefix', 'reason', 'blockedUntil']), details: detailsWithOwner(owner, row) };
}

function statesOf(
  quotas: readonly SmsQuota[],
  rows: readonly QuotaRow[],
): ReadonlyMap<string, SmsQuotaState> {
  const partsOf = new Map(quotas.map(({ id, partSeconds }) => [id, partSeconds]));
  return new Map(
    rows.map((row) => [
      row.id,
      { counts: countsOf(row, partsOf.get(row.id) ?? 0), exhaustionReported: row.reported },
    ]),
  );
}

/** Each part stops counting one part's length before the one after it does. */
function countsOf({ used, earlier, seconds_left: left }: QuotaRow, partSeconds: number): SmsCount[] {
  return [...earlier, used]
    .map((amount, index) => ({ amount, secondsLeft: left - (earlier.length - index) * partSeconds }))
    .filter(({ amount, secondsLeft }) => amount > 0 && secondsLeft > 0);
}
