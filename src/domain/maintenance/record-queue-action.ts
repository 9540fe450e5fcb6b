import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { Clock } from '../shared/clock.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';

/** What an administrator may do to the queues by hand: of one job, or of a queue. */
export type QueueAction =
  | 'queue.job.retried'
  | 'queue.job.promoted'
  | 'queue.failed.retried'
  | 'queue.delayed.promoted'
  | 'queue.paused'
  | 'queue.resumed';

export interface AskedQueueAction {
  readonly action: QueueAction;
  readonly actorId: UserId;
  readonly queue: string;
  readonly job?: string | undefined;
}

/**
 * Enters it in the audit log before it is done, because the queues know no transaction with Postgres: what fails
 * afterwards stands there all the same, and nothing is done that does not.
 */
@Injectable()
export class RecordQueueAction {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  async execute({ action, actorId, queue, job }: AskedQueueAction): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      await this.events.append(tx, {
        orgId: null,
        aggregateType: 'queue',
        aggregateId: queue,
        // a queue does not count its changes; this only ever grows
        sequence: this.clock.nowMs(),
        type: action,
        actorId,
        ...(job !== undefined && { data: { job } }),
      });
    });
  }
}
