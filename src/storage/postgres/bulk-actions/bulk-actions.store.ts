// SQL by hand: up to ten thousand users are added by one INSERT, and the next one is taken with FOR UPDATE SKIP LOCKED
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  MOST_FAILURES,
  MOST_KEPT,
  type BulkAction,
  type EndedBulkAction,
  type ListedBulkFailure,
  type NewBulkAction,
  type NextUser,
} from '../../../domain/bulk-actions/bulk-action.js';
import { BulkActionsStore } from '../../../domain/bulk-actions/bulk-actions.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { BulkActionId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { UserListQuery } from '../../../domain/users/user-list.js';
import { advisoryLock } from '../advisory-lock.js';
import { PageStatements, type PageRow } from '../page-statement.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { CountedTable, detailsOf, pick, Table } from '../table.js';
import { BulkActionEntity, BulkActionUserEntity } from '../tables/bulk-action.entity.js';
import { callerActive, tokenRevoked } from '../users/caller-rows.js';
import { UserLists } from '../users/user-list.js';

const ADD_USERS: Statement = {
  name: 'bulk-actions-add-users',
  text: `INSERT INTO bulk_action_users (bulk_action_id, user_id) SELECT $1, unnest($2::text[])`,
};
// the lock on the action lets its cancellation wait for the user who is dealt with now, so that it counts them
const TAKE_NEXT: Statement = {
  name: 'bulk-actions-take-next',
  text: `
    SELECT b.org_id AS "orgId", b.action, b.created_by AS "actorId", b.through,
           u.user_id AS "userId", ${callerActive('b.created_by')}, ${tokenRevoked('b')}
    FROM bulk_action_users u JOIN bulk_actions b ON b.id = u.bulk_action_id
    WHERE u.bulk_action_id = $1 AND u.outcome IS NULL AND b.state = 'running'
    ORDER BY u.user_id LIMIT 1 FOR UPDATE OF u SKIP LOCKED FOR SHARE OF b`,
};
const GOES_ON: Statement = {
  name: 'bulk-actions-goes-on',
  text: `
    SELECT FROM bulk_actions b WHERE b.id = $1 AND b.state = 'running'
      AND EXISTS (SELECT FROM bulk_action_users u WHERE u.bulk_action_id = b.id AND u.outcome IS NULL)`,
};
// only the one before it hands the turn on: a later one may be cancelled while it waits
const FIND_NEXT: Statement = {
  name: 'bulk-actions-find-next',
  text: `
    SELECT next.id FROM (
      SELECT id, created_at FROM bulk_actions WHERE org_id = $1 AND state = 'running' AND finished_at IS NULL
      ORDER BY created_at, id LIMIT 1) next
    JOIN bulk_actions over ON over.id = $2 AND (over.created_at, over.id) < (next.created_at, next.id)`,
};
// a few at a time, since each takes its users along
const FORGET_OLDEST: Statement = {
  name: 'bulk-actions-forget-oldest',
  text: `
    DELETE FROM bulk_actions WHERE id IN (
      SELECT id FROM bulk_actions WHERE org_id = $1 AND finished_at IS NOT NULL
      ORDER BY finished_at DESC OFFSET ${MOST_KEPT - 1} LIMIT 3)`,
};

function countsOfAction(entities: EntityManager) {
  return entities
    .createQueryBuilder(BulkActionUserEntity, 'u')
    .select('count(*)::integer', 'total')
    .addSelect(`count(*) FILTER (WHERE u.outcome = 'done')::integer`, 'done')
    .addSelect(`count(*) FILTER (WHERE u.outcome = 'failed')::integer`, 'failed')
    .where('u.bulkActionId = :id');
}

// every order reads all of them: they are 10,000 at most
const FAILURES = new PageStatements('bulk-actions-failures', {
  select: `
    SELECT f.user_id AS "userId", coalesce(f.reason, '') AS reason, coalesce(u.created_at, b.created_at) AS "createdAt",
      coalesce(nullif(h.display_name, ''), u.user_name, '') AS name
    FROM bulk_actions b
    JOIN bulk_action_users f ON f.bulk_action_id = b.id AND f.outcome = 'failed'
    LEFT JOIN users u ON u.org_id = b.org_id AND u.id = f.user_id
    LEFT JOIN user_humans h ON h.user_id = u.id
    WHERE b.id = $1 AND b.org_id = $2`,
  taken: 2,
  id: 'userId',
  name: 'name',
  isCostly: true,
});

@Injectable()
export class PgBulkActionsStore extends BulkActionsStore {
  private readonly rows: CountedTable<BulkActionEntity>;
  private readonly users: Table<BulkActionUserEntity>;
  private readonly counts: Query<EndedBulkAction['counts'], { id: BulkActionId }>;
  private readonly lists: UserLists;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, BulkActionEntity);
    this.users = new Table(sql, BulkActionUserEntity);
    this.counts = new Query(sql, 'bulk-actions-counts', countsOfAction);
    this.lists = new UserLists(sql);
  }

  override async search(
    orgId: OrgId,
    search: Omit<UserListQuery, 'after' | 'limit'>,
    limit: number,
  ): Promise<readonly UserId[]> {
    return await this.lists.listIds(orgId, { ...search, limit });
  }

  override async lockTurns(tx: Tx, orgId: OrgId): Promise<void> {
    await advisoryLock(this.sql, tx, 'bulk-actions', orgId);
  }

  override async countRunning(tx: Tx, orgId: OrgId): Promise<number> {
    return await this.rows.count({ orgId, state: 'running' }, tx);
  }

  override async add(
    tx: Tx,
    { orgId, action, actorId, through, ...asked }: NewBulkAction,
    userIds: readonly UserId[],
  ): Promise<{ readonly id: BulkActionId; readonly details: ResourceDetails }> {
    await this.sql.change(FORGET_OLDEST, [orgId], tx);
    const { tokenId = null, subjectEpoch = null } = asked;
    const row = await this.rows.add(tx, {
      orgId,
      action,
      createdBy: actorId,
      through,
      tokenId,
      subjectEpoch,
    });
    await this.sql.change(ADD_USERS, [row.id, userIds], tx);
    return { id: row.id, details: detailsOf(row) };
  }

  override async find(orgId: OrgId, id: BulkActionId): Promise<BulkAction | undefined> {
    const row = await this.rows.find({ orgId, id });
    if (row === undefined) return undefined;
    const counts = await this.countsOf(id);
    const failed = { bulkActionId: id, outcome: 'failed' } as const;
    const failures = await this.users.list(failed, { userId: 'ASC' }, undefined, MOST_FAILURES);
    const { action, state } = row;
    return {
      id,
      action,
      state,
      ...counts,
      failures: failures.map(({ userId, reason }) => ({ userId, reason: reason ?? '' })),
      details: detailsOf(row),
    };
  }

  override async listFailures(
    orgId: OrgId,
    id: BulkActionId,
    query: PageQuery,
  ): Promise<Page<ListedBulkFailure>> {
    type Failure = Pick<ListedBulkFailure, keyof ListedBulkFailure>;
    const values = [id, orgId, ...FAILURES.values(query)];
    const rows = await this.sql.rows<PageRow<Failure>>(FAILURES.of(query), values);
    return FAILURES.page(rows, query, (row) => pick(row, ['userId', 'name', 'reason']));
  }

  override async cancel(tx: Tx, orgId: OrgId, id: BulkActionId): Promise<EndedBulkAction | undefined> {
    await this.lockTurns(tx, orgId);
    return await this.end(tx, { orgId, id }, 'cancelled');
  }

  override async takeNext(tx: Tx, id: BulkActionId): Promise<NextUser | undefined> {
    return await this.sql.row<NextUser & Record<string, unknown>>(TAKE_NEXT, [id], tx);
  }

  override async settle(tx: Tx, id: BulkActionId, userId: UserId, reason: string | undefined): Promise<void> {
    const outcome = reason === undefined ? 'done' : 'failed';
    await this.users.changeAll(tx, { bulkActionId: id, userId }, { outcome, reason: reason ?? null });
  }

  override async goesOn(tx: Tx, id: BulkActionId): Promise<boolean> {
    return (await this.sql.row(GOES_ON, [id], tx)) !== undefined;
  }

  override async finish(tx: Tx, id: BulkActionId): Promise<EndedBulkAction | undefined> {
    const row = await this.rows.find({ id }, tx);
    if (row === undefined) return undefined;
    await this.lockTurns(tx, row.orgId);
    return await this.end(tx, { id }, 'done');
  }

  override async findNext(tx: Tx, { orgId, id }: EndedBulkAction): Promise<BulkActionId | undefined> {
    return (await this.sql.row<{ id: BulkActionId }>(FIND_NEXT, [orgId, id], tx))?.id;
  }

  private async end(
    tx: Tx,
    which: { readonly id: BulkActionId; readonly orgId?: OrgId },
    state: 'cancelled' | 'done',
  ): Promise<EndedBulkAction | undefined> {
    const values = { state, finishedAt: () => 'app_now()' } as const;
    const details = await this.rows.changeOne(tx, { ...which, state: 'running' }, values);
    if (details === undefined) return undefined;
    const row = await this.rows.find(which, tx);
    if (row === undefined) return undefined;
    const { id, orgId, action, createdBy } = row;
    return { id, orgId, action, createdBy, counts: await this.countsOf(id, tx), details };
  }

  private async countsOf(id: BulkActionId, tx?: Tx): Promise<EndedBulkAction['counts']> {
    return (await this.counts.row({ id }, tx)) ?? { total: 0, done: 0, failed: 0 };
  }
}
