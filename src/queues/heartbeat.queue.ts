import type { JobsOptions } from 'bullmq';

/**
 * Travels through every queue: enqueued by a schedule, consumed by whichever worker comes first, written to
 * Postgres. It proves the whole way, which a PING of Redis does not (users-want P1).
 *
 * A worker process enqueues it under one id, so that a queue never holds more than one of each process, and no scheduler of
 * BullMQ's makes it, whose next job would stand under Delayed all the time: whoever looks at a queue sees what it is for.
 * No two processes share that id: one that is cut off with the job in its hands would keep the others from proving
 * themselves until its lock lapses.
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

/** @param process tells worker processes apart; made anew by each */
export function heartbeatId(process: string): string {
  return `heartbeat-${process}`;
}
