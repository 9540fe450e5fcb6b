import type { JobsOptions } from 'bullmq';

/**
 * Travels through every queue: enqueued by a schedule, consumed by whichever worker comes first, written to
 * Postgres. It proves the whole way, which a PING of Redis does not (users-want P1).
 */
export const heartbeatJob = {
  name: 'heartbeat',
  // one attempt and no trace: the next heartbeat is seconds away, and finished ones would push real jobs out of sight
  options: { attempts: 1, removeOnComplete: true, removeOnFail: true, stackTraceLimit: 0 } as JobsOptions,
};
