import type { JobsOptions } from 'bullmq';

/**
 * Travels through every queue: enqueued by a schedule, consumed by whichever worker comes first, written to
 * Postgres. It proves the whole way, which a PING of Redis does not (users-want P1).
 *
 * Its id is the same every time, so that a queue never holds more than one, and no scheduler of BullMQ's makes it, whose
 * next job would stand under Delayed all the time: whoever looks at a queue sees what it is for.
 */
export const heartbeatJob = {
  name: 'heartbeat',
  // one attempt and no trace: the next heartbeat is seconds away, and finished ones would push real jobs out of sight
  options: {
    jobId: 'heartbeat-now',
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  } as JobsOptions,
};
