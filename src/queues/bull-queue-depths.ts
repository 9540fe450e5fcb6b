import { Injectable } from '@nestjs/common';
import { QueueDepths, type QueueDepth } from '../domain/maintenance/queue-depths.js';
import { BULL_QUEUE_NAMES, JobQueues } from './job-queues.js';

const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed', 'completed'] as const;

/** Asks BullMQ, queue by queue; what is not linked is not asked. */
@Injectable()
export class BullQueueDepths extends QueueDepths {
  constructor(private readonly queues: JobQueues) {
    super();
  }

  override async read(): Promise<readonly QueueDepth[]> {
    return await Promise.all(
      BULL_QUEUE_NAMES.map(async (name) => {
        if (!this.queues.isLinked(name)) return { name };
        const queue = this.queues.queue(name);
        const [counts, isPaused] = await Promise.all([queue.getJobCounts(...STATES), queue.isPaused()]);
        const of = (state: (typeof STATES)[number]): number => counts[state] ?? 0;
        return {
          name,
          isPaused,
          counts: {
            waiting: of('waiting') + of('prioritized'),
            active: of('active'),
            delayed: of('delayed'),
            failed: of('failed'),
            completed: of('completed'),
          },
        };
      }),
    );
  }
}
