import type { Queue } from 'bullmq';
import { JOB_QUEUES, type JobQueue, type OutboxJob } from '../domain/outbox/outbox.store.js';
import type { Log } from '../domain/shared/log.js';
import { messageOf } from '../domain/shared/message-of.js';
import { oncePer } from '../domain/shared/once-per.js';
import { runBulkActionJob } from './bulk-actions.queue.js';
import {
  followImportJob,
  importChunkJob,
  notifyImportChunkJob,
  undoImportChunkJob,
} from './imports.queue.js';
import {
  jobIdOf,
  KEEP_FINISHED,
  laneOptions,
  queueFor,
  queuesOf,
  type BullQueueName,
} from './job-contract.js';
import { endOrganizationSessionsJob, eraseOrganizationJob } from './maintenance.queue.js';
import { deliverLogoutJob, sendNotificationJob } from './notifications.queue.js';

export const BULL_QUEUE_NAMES: readonly BullQueueName[] = JOB_QUEUES.flatMap((queue) => queuesOf(queue));

/** Jobs that leave through the outbox. Those a newer version writes are published all the same, for newer workers. */
const OUTBOX_JOBS = new Map(
  [
    sendNotificationJob,
    deliverLogoutJob,
    importChunkJob,
    followImportJob,
    undoImportChunkJob,
    notifyImportChunkJob,
    runBulkActionJob,
    eraseOrganizationJob,
    endOrganizationSessionsJob,
  ].map((contract) => [contract.name, contract.options]),
);

/** What the queue holds of a published row: on its way, ended, or nothing at all. */
export type JobFate = 'held' | 'ended' | 'missing';

/** Whether the connection of a queue can be used right now. */
interface Link {
  readonly isUp: () => boolean;
}

/** The queues, from the producers' side. Everything here fails at once while the queues are unreachable. */
export class JobQueues {
  private readonly links = new Map<BullQueueName, Link>();

  constructor(
    private readonly queues: ReadonlyMap<BullQueueName, Queue>,
    log: Log,
  ) {
    const warn = oncePer(30_000, (reason: string) => log.warn('the queues are unreachable', { reason }));
    for (const [name, queue] of this.queues) {
      queue.on('error', (error) => warn(messageOf(error)));
      void this.follow(name, queue);
    }
  }

  get all(): readonly Queue[] {
    return [...this.queues.values()];
  }

  queue(name: BullQueueName): Queue {
    const queue = this.queues.get(name);
    if (queue === undefined) throw new Error(`no queue ${name}`);
    return queue;
  }

  /** Asked before every use: a queue that was never reached would keep its caller waiting instead of failing. */
  isUp(name: JobQueue): boolean {
    return queuesOf(name).every((queue) => this.isLinked(queue));
  }

  isLinked(name: BullQueueName): boolean {
    return this.links.get(name)?.isUp() ?? false;
  }

  /** Adds the jobs of one queue. Adding one that is there already changes nothing. */
  async publish(queue: JobQueue, jobs: readonly OutboxJob[]): Promise<void> {
    for (const name of queuesOf(queue)) {
      const travelling = jobs.filter((job) => queueFor(job) === name);
      if (travelling.length > 0) await this.add(name, travelling);
    }
  }

  /** What became of published jobs, in their order. */
  async fates(jobs: readonly OutboxJob[]): Promise<readonly JobFate[]> {
    const states = await Promise.all(jobs.map((job) => this.queue(queueFor(job)).getJobState(jobIdOf(job))));
    return states.map((state) => {
      if (state === 'unknown') return 'missing';
      return state === 'completed' || state === 'failed' ? 'ended' : 'held';
    });
  }

  private async add(name: BullQueueName, jobs: readonly OutboxJob[]): Promise<void> {
    await this.queue(name).addBulk(
      jobs.map((job) => ({
        name: job.jobName,
        data: { ...job.payload, outboxId: job.id },
        opts: {
          ...(OUTBOX_JOBS.get(job.jobName) ?? KEEP_FINISHED),
          ...laneOptions(job.lane),
          jobId: jobIdOf(job),
          ...(job.traceparent !== undefined && { telemetry: { metadata: job.traceparent } }),
        },
      })),
    );
  }

  private async follow(name: BullQueueName, queue: Queue): Promise<void> {
    try {
      await queue.waitUntilReady();
      const client = await (queue.getBackend() as { client?: Promise<{ status: string }> }).client;
      this.links.set(name, { isUp: () => client === undefined || client.status === 'ready' });
    } catch {
      // reported by the error event; the link stays down
    }
  }
}
