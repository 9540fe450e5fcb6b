import type { JobsOptions } from 'bullmq';

/**
 * Travels through every queue: enqueued by a schedule, consumed by whichever worker comes first, written to
 * Postgres. It proves the whole way, which a PING of Redis does not.
 *
 * A worker process enqueues it under a few ids in turn, so that a queue never holds more than those of each process, and no
 * scheduler of BullMQ's makes it, whose next job would stand under Delayed all the time: whoever looks at a queue sees what
 * it is for. No two processes share an id, and each has several: a worker that is cut off while it holds a heartbeat, its own or
 * another's, keeps that id from being enqueued again until its lock lapses.
 */
export const heartbeatJob = {
  name: 'heartbeat',
  // one attempt and no trace: the next heartbeat is seconds away, and finished ones would push real jobs out of sight
  options: {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  } as JobsOptions,
};

const IDS_OF_PROCESS = 4;

/**
 * @param process id of the worker process; new for each
 * @param beat 0 for the first of the process, and one more each time
 */
export function heartbeatId(process: string, beat: number): string {
  return `heartbeat-${process}-${beat % IDS_OF_PROCESS}`;
}
