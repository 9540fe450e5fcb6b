import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore, type EnqueuedWork } from '../outbox/outbox.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { BulkActionId, OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import {
  bulkActionEnd,
  bulkActionEvent,
  bulkActionNotFound,
  MOST_CHOSEN,
  MOST_RUNNING,
  type BulkAction,
  type ChosenUsers,
  type EndedBulkAction,
  type ListedBulkFailure,
  type NewBulkAction,
} from './bulk-action.js';
import { BulkActionsStore } from './bulk-actions.store.js';

export const RUN_BULK_ACTION = 'run-bulk-action';
const RETRY_SECONDS = 30;

/** Starts a bulk action on users, reports its progress, and cancels it. Workers run it (`run-bulk-action.ts`). */
@Injectable()
export class BeginBulkAction {
  constructor(
    private readonly actions: BulkActionsStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * Who it is about is decided now: whoever fits the search later is not among them.
   * @throws ApiError failed-precondition, precondition-failed where it is not about as many as expected
   */
  async choose(orgId: OrgId, chosen: ChosenUsers): Promise<readonly UserId[]> {
    const userIds =
      'userIds' in chosen
        ? [...new Set(chosen.userIds)]
        : await this.actions.search(orgId, chosen.search, MOST_CHOSEN + 1);
    if ('search' in chosen) requireExpected(chosen.expected, userIds.length);
    if (userIds.length === 0) {
      throw new ApiError('failed-precondition', 'No user fits', 'COMMAND-bA1no');
    }
    if (userIds.length > MOST_CHOSEN) {
      throw new ApiError('failed-precondition', `More than ${MOST_CHOSEN} users fit`, 'COMMAND-bA2mo');
    }
    return userIds;
  }

  /** @throws ApiError resource-exhausted for too many that are running */
  async begin(
    tx: Tx,
    action: NewBulkAction,
    userIds: readonly UserId[],
  ): Promise<{ readonly id: BulkActionId; readonly details: ResourceDetails }> {
    await this.actions.lockTurns(tx, action.orgId);
    const running = await this.actions.countRunning(tx, action.orgId);
    if (running >= MOST_RUNNING) throw tooManyRunning();
    const begun = await this.actions.add(tx, action, userIds);
    const counts = { users: userIds.length };
    await this.events.append(
      tx,
      bulkActionEvent({ ...action, ...begun }, 'bulk_action.begun', action.actorId, counts),
    );
    // the end of the one before queues it otherwise
    if (running === 0) await queueBulkAction(this.outbox, tx, begun.id);
    return begun;
  }

  /** @throws ApiError not-found */
  async find(orgId: OrgId, id: BulkActionId): Promise<BulkAction> {
    const found = await this.actions.find(orgId, id);
    if (found === undefined) throw bulkActionNotFound();
    return found;
  }

  /** For whom it failed so far. @throws ApiError not-found */
  async listFailures(orgId: OrgId, id: BulkActionId, query: PageQuery): Promise<Page<ListedBulkFailure>> {
    await this.find(orgId, id);
    return await this.actions.listFailures(orgId, id, query);
  }

  /** The user whose turn it is now is still dealt with, and counted. @throws ApiError not-found, failed-precondition where it is over */
  async cancel(tx: Tx, orgId: OrgId, id: BulkActionId, actorId: UserId): Promise<ResourceDetails> {
    const ended = await this.actions.cancel(tx, orgId, id);
    if (ended === undefined) {
      await this.find(orgId, id);
      throw new ApiError('failed-precondition', 'The bulk action is over', 'COMMAND-bA4ov');
    }
    await this.events.append(tx, bulkActionEnd(ended, 'bulk_action.cancelled', actorId));
    await queueNextBulkAction(this.actions, this.outbox, tx, ended);
    return ended.details;
  }
}

/** Whoever confirmed an action on some users did not mean those who fit since. */
function requireExpected(expected: number | undefined, found: number): void {
  if (expected === undefined || expected === found) return;
  const fit = found > MOST_CHOSEN ? `more than ${MOST_CHOSEN}` : String(found);
  throw new ApiError(
    'precondition-failed',
    `Users who fit by now: ${fit}, expected: ${expected}`,
    'COMMAND-bA3ex',
  );
}

function tooManyRunning(): ApiError {
  return new ApiError(
    'resource-exhausted',
    `this organization has ${MOST_RUNNING} bulk actions that have not ended: wait for one, or cancel one`,
    'LIMITS-bA5rn',
    RETRY_SECONDS,
  );
}

/** Whose turn it is once one of its organization is over. */
export async function queueNextBulkAction(
  actions: BulkActionsStore,
  outbox: OutboxStore,
  tx: Tx,
  over: EndedBulkAction,
): Promise<void> {
  const next = await actions.findNext(tx, over);
  if (next !== undefined) await queueBulkAction(outbox, tx, next);
}

/** The next chunk, due with the commit. */
export async function queueBulkAction(outbox: OutboxStore, tx: Tx, id: BulkActionId): Promise<void> {
  await outbox.add(tx, { ...workOf(id), lane: 'normal' });
}

export function enqueuedBulkAction(id: BulkActionId, outboxId: string): EnqueuedWork {
  return { ...workOf(id), outboxId };
}

function workOf(id: BulkActionId): Omit<EnqueuedWork, 'outboxId'> {
  return { queue: 'imports', jobName: RUN_BULK_ACTION, payload: { bulkActionId: id } };
}
