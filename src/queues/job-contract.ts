import { UnrecoverableError, type Job, type JobsOptions } from 'bullmq';
import { z } from 'zod';
import { SEND_NOTIFICATION } from '../domain/notifications/enqueue-notification.js';
import type { JobLane, JobQueue, OutboxJob } from '../domain/outbox/outbox.store.js';

/**
 * The queues as BullMQ has them. Messages that nobody waits for travel in a queue of their own, with places of their
 * own in every worker: a mail server that hangs on them can never hold the places that a password reset needs
 * (security F23, F41). To Postgres they are notifications like all others.
 */
export type BullQueueName = JobQueue | typeof BULK_NOTIFICATIONS | typeof IMPORT_PROGRESS;
export const BULK_NOTIFICATIONS = 'notifications-bulk';
/** Shows imports to people and does nothing for them: no row of the outbox travels in it. */
export const IMPORT_PROGRESS = 'import-progress';

/** The queues of one kind of work. */
export function queuesOf(queue: JobQueue): readonly BullQueueName[] {
  if (queue === 'imports') return [IMPORT_PROGRESS, queue];
  return queue === 'notifications' ? [queue, BULK_NOTIFICATIONS] : [queue];
}

/** The queues that a worker serves for a configured queue: imports include the queue that shows their progress. */
export function queuesWorkedWith(
  queue: Exclude<BullQueueName, typeof IMPORT_PROGRESS>,
): readonly BullQueueName[] {
  return queue === 'imports' ? queuesOf(queue) : [queue];
}

/** Whose outbox rows a worker of these queues relays: of messages all, since either queue's workers see the rows due. */
export function outboxQueuesOf(
  worked: readonly Exclude<BullQueueName, typeof IMPORT_PROGRESS>[],
): readonly JobQueue[] {
  return [...new Set(worked.map((queue) => (queue === BULK_NOTIFICATIONS ? 'notifications' : queue)))];
}

export function queueFor({
  queue,
  jobName,
  lane,
}: Pick<OutboxJob, 'queue' | 'jobName' | 'lane'>): BullQueueName {
  return jobName === SEND_NOTIFICATION && lane !== 'priority' ? BULK_NOTIFICATIONS : queue;
}

/**
 * What a job carries and how it is treated. Payloads hold ids and small numbers only; whatever else is needed is
 * read from Postgres when the job runs, so that neither Redis nor the dashboard ever shows a name, an address or a
 * secret.
 *
 * A payload may name its version as `v` (absent = 1). A worker that does not know it yet leaves the job to its
 * newer siblings: old and new workers run side by side while a release rolls out.
 */
export interface JobContract<Payload> {
  readonly queue: JobQueue;
  readonly name: string;
  readonly version: number;
  readonly payload: z.ZodType<Payload>;
  readonly options: JobsOptions;
}

const DAY_SECONDS = 86_400;

/** Finished jobs stay to be looked at: a day when all went well, a week when not; never more than a screenful of pages. */
export const KEEP_FINISHED = {
  removeOnComplete: { age: DAY_SECONDS, count: 1_000 },
  removeOnFail: { age: 7 * DAY_SECONDS, count: 5_000 },
  // stacks belong into the log, not into Redis
  stackTraceLimit: 0,
} as const satisfies JobsOptions;

/** Exponential with jitter and a ceiling (retry-delay.ts). */
export const RETRY_WITH_CEILING = { type: 'with-ceiling' } as const;
/** Tries last for hours; after that the outbox brings the job back for as long as the work is due. */
export const HOURS_OF_TRIES = {
  ...KEEP_FINISHED,
  attempts: 20,
  backoff: RETRY_WITH_CEILING,
} as const satisfies JobsOptions;

/** Fields of payloads: the id of what a job is about, and the outbox row that it came from. */
export const subjectId = z.string().min(1).max(200);
export const outboxId = z.string().regex(/^[0-9]{1,19}$/);

/** BullMQ serves jobs without a priority first, then the lowest number: codes and resets overtake mass mailings. */
const PRIORITY_OF_LANE: Readonly<Record<JobLane, number | undefined>> = {
  priority: undefined,
  normal: 10,
  bulk: 100,
};

export function laneOptions(lane: JobLane): JobsOptions {
  const priority = PRIORITY_OF_LANE[lane];
  return priority === undefined ? {} : { priority };
}

/** Not an integer, which BullMQ refuses, and different in each epoch, so that a retained old job swallows nothing. */
export function jobIdOf(job: Pick<OutboxJob, 'id' | 'epoch'>): string {
  return `o${job.id}-${job.epoch}`;
}

/**
 * The payload of a job, checked.
 *
 * @returns undefined when it was written by a newer version
 * @throws UnrecoverableError when it is not what the contract says
 */
export function readPayload<Payload>(
  contract: JobContract<Payload>,
  job: Pick<Job, 'data'>,
): Payload | undefined {
  const data: unknown = job.data;
  if (typeof data === 'object' && data !== null && 'v' in data) {
    if (typeof data.v === 'number' && data.v > contract.version) return undefined;
  }
  const result = contract.payload.safeParse(data);
  if (!result.success)
    throw new UnrecoverableError(`${contract.name}: the payload does not fit the contract`);
  return result.data;
}
