import { Injectable } from '@nestjs/common';
import { SmsBlocksStore, type SmsBlock } from '../../../domain/notifications/abuse/sms-blocks.store.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

/** Blocks are the instance's; what belongs to it is shown as its first organization's. */
const COLUMNS = `prefix, reason, blocked_until, sequence, created_at, changed_at,
  (SELECT default_org_id FROM instance) AS org_id`;

const LIST = pageStatement('sms-blocks-list', {
  select: `
    SELECT ${COLUMNS}, prefix AS id, prefix AS name FROM sms_blocks
    WHERE blocked_until > (SELECT app_now())`,
});

// the row stays: what was queued before it ended counts for nothing (sms-quotas.store.ts, CONVERSION)
const LIFT = {
  name: 'sms-blocks-lift',
  text: `
    UPDATE sms_blocks SET blocked_until = app_now(), sequence = sequence + 1, changed_at = app_now()
    WHERE prefix = $1 AND blocked_until > app_now() RETURNING ${COLUMNS}`,
};

type BlockRow = ResourceRow & { prefix: string; reason: string; blocked_until: Date };

@Injectable()
export class PgSmsBlocksStore extends SmsBlocksStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async list(query: PageQuery): Promise<Page<SmsBlock>> {
    return pageOf(await this.sql.rows<PageRow<BlockRow>>(LIST, pageValues(query)), toBlock);
  }

  override async lift(tx: Tx, prefix: string): Promise<SmsBlock | undefined> {
    const row = await this.sql.row<BlockRow>(LIFT, [prefix], tx);
    return row && toBlock(row);
  }
}

function toBlock(row: BlockRow): SmsBlock {
  const { prefix, reason, blocked_until: blockedUntil } = row;
  return { prefix, reason, blockedUntil, details: detailsOf(row) };
}
