import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { crashPoint } from '../shared/crash-point.js';
import { ApiError } from '../shared/errors.js';
import type { BulkActionId } from '../shared/ids.js';
import { Savepoint } from '../shared/savepoint.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { ActOnUser } from './act-on-user.js';
import { enqueuedBulkAction, queueBulkAction, queueNextBulkAction } from './begin-bulk-action.js';
import { bulkActionEnd, type NextUser } from './bulk-action.js';
import { BulkActionsStore } from './bulk-actions.store.js';

/** Users that one job deals with: a worker that ends, or a queue that is busy, waits for no more than these. */
const CHUNK = 100;

/**
 * Does what was asked for to one user after the other. The change and what is noted of it commit together, so that a worker
 * that dies does nothing twice and leaves nobody out.
 */
@Injectable()
export class RunBulkAction {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly savepoint: Savepoint,
    private readonly actions: BulkActionsStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
    private readonly actOnUser: ActOnUser,
  ) {}

  /**
   * @param outboxId the row that this work was published from, as the job says: not trusted (security S415)
   * @returns what came of it, for the dashboard
   */
  async step(id: BulkActionId, outboxId: string): Promise<string> {
    let users = 0;
    while (users < CHUNK && (await this.unitOfWork.run((tx) => this.next(tx, id, users)))) users += 1;
    return await this.unitOfWork.run(async (tx) => {
      if (!(await this.outbox.take(tx, enqueuedBulkAction(id, outboxId)))) return 'settled';
      if (await this.actions.goesOn(tx, id)) {
        await queueBulkAction(this.outbox, tx, id);
        return `${users} users, goes on`;
      }
      const ended = await this.actions.finish(tx, id);
      if (ended !== undefined) {
        await this.events.append(tx, bulkActionEnd(ended, 'bulk_action.done', ended.createdBy));
        await queueNextBulkAction(this.actions, this.outbox, tx, ended);
      }
      return `${users} users, over`;
    });
  }

  private async next(tx: Tx, id: BulkActionId, number: number): Promise<boolean> {
    const next = await this.actions.takeNext(tx, id);
    if (next === undefined) return false;
    const reason = await this.reasonToRefuse(tx, next);
    await this.actions.settle(tx, id, next.userId, reason);
    crashPoint(`bulk-action-at-user-${number}`);
    return true;
  }

  /** Undefined where it was done. */
  private async reasonToRefuse(tx: Tx, next: NextUser): Promise<string | undefined> {
    try {
      await this.savepoint.run(tx, () => this.actOnUser.execute(tx, next));
      return undefined;
    } catch (error) {
      // anything else is no answer about this user, and neither is trouble of the database: the job is tried again
      if (error instanceof ApiError && error.kind !== 'unavailable') return error.message;
      throw error;
    }
  }
}
