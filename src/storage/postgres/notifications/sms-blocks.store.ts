// SQL by hand: what is blocked is decided by the database's clock, and belongs to the instance
import { Injectable } from '@nestjs/common';
import { SmsBlocksStore, type SmsBlock } from '../../../domain/notifications/abuse/sms-blocks.store.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { Sql } from '../sql.js';
import { columns, detailsOf } from '../table.js';
import type { InstanceEntity } from '../tables/instance.entity.js';
import { SmsBlockEntity } from '../tables/sms-block.entity.js';

/** Blocks are the instance's; what belongs to it is shown as its first organization's. */
const COLUMNS = `
  ${columns(SmsBlockEntity, 'b', ['prefix', 'reason', 'blockedUntil', 'sequence', 'createdAt', 'changedAt'])},
  (SELECT default_org_id FROM instance) AS "orgId"`;

const LIST = pageStatement('sms-blocks-list', {
  select: `
    SELECT ${COLUMNS}, b.created_at, b.prefix AS id, b.prefix AS name FROM sms_blocks b
    WHERE b.blocked_until > (SELECT app_now())`,
});

// the row stays: what was queued before it ended counts for nothing (sms-quotas.store.ts, CONVERSION)
const LIFT = {
  name: 'sms-blocks-lift',
  text: `
    UPDATE sms_blocks b SET blocked_until = app_now(), sequence = sequence + 1, changed_at = app_now()
    WHERE prefix = $1 AND blocked_until > app_now() RETURNING ${COLUMNS}`,
};

type BlockRow = Pick<SmsBlockEntity, keyof SmsBlockEntity> & { orgId: InstanceEntity['defaultOrgId'] };

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
  const { prefix, reason, blockedUntil } = row;
  return { prefix, reason, blockedUntil, details: detailsOf(row) };
}
