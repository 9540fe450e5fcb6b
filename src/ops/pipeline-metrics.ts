import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { ImportsStore } from '../domain/imports/imports.store.js';
import { MaintenanceStore } from '../domain/maintenance/maintenance.store.js';
import { JOB_QUEUES, OutboxStore } from '../domain/outbox/outbox.store.js';
import { BULK_NOTIFICATIONS } from '../queues/job-contract.js';
import { BULL_QUEUE_NAMES, JobQueues } from '../queues/job-queues.js';
import { Metrics } from './metrics.js';

const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'failed'] as const;

/** The states of jobs that a free worker would take at once. */
const NEXT = ['waiting', 'prioritized'] as const;

/** How the job pipeline is doing: what waits in Postgres, what waits in the queues, when each was last consumed. */
@Injectable()
export class PipelineMetrics {
  constructor(
    metrics: Metrics,
    outbox: OutboxStore,
    maintenance: MaintenanceStore,
    queues: JobQueues,
    imports: ImportsStore,
  ) {
    const rows = metrics.gauge('identity_outbox_rows', 'Outbox rows (counted up to 100000)', [
      'queue',
      'state',
    ]);
    const oldest = metrics.gauge(
      'identity_outbox_oldest_pending_seconds',
      'Age of the oldest unpublished outbox row',
      ['queue'],
    );
    metrics.addReading([rows, oldest], async () => {
      const backlog = await outbox.backlog(JOB_QUEUES);
      return () => {
        for (const { queue, pending, published, oldestPendingSeconds, oldestBulkSeconds } of backlog) {
          rows.set({ queue, state: 'pending' }, pending);
          rows.set({ queue, state: 'published' }, published);
          // by the queue whose workers consume them: others cannot shorten the wait
          const isOwn = queue === 'notifications';
          oldest.set(
            { queue },
            isOwn ? oldestPendingSeconds : Math.max(oldestPendingSeconds, oldestBulkSeconds),
          );
          if (isOwn) oldest.set({ queue: BULK_NOTIFICATIONS }, oldestBulkSeconds);
        }
      };
    });

    const age = metrics.gauge('identity_heartbeat_age_seconds', 'Since the queue was last consumed', [
      'queue',
    ]);
    metrics.addReading([age], async () => {
      const heard = await maintenance.listHeartbeats();
      return () => {
        for (const { queue, ageMs } of heard) age.set({ queue }, ageMs / 1000);
      };
    });

    const jobs = metrics.gauge('identity_import_jobs', 'Imports that have not ended, by state', ['state']);
    metrics.addReading([jobs], async () => {
      const unfinished = await imports.countUnfinished();
      return () => {
        for (const { state, count } of unfinished) jobs.set({ state }, count);
      };
    });

    const depth = metrics.gauge('identity_queue_jobs', 'Jobs in the queue, by state', ['queue', 'state']);
    const waiting = metrics.gauge(
      'identity_queue_oldest_job_seconds',
      'How long the job that is next has waited in the queue; 0 while none waits',
      ['queue'],
    );
    metrics.addReading([depth, waiting], async () => {
      const linked = BULL_QUEUE_NAMES.filter((queue) => queues.isLinked(queue));
      const depths = await Promise.all(
        linked.map(async (queue) => ({
          queue,
          counts: await queues.queue(queue).getJobCounts(...STATES),
          next: await queues.queue(queue).getJobs([...NEXT], 0, 0, true),
        })),
      );
      return () => {
        for (const { queue, counts, next } of depths) {
          for (const state of STATES) depth.set({ queue, state }, counts[state] ?? 0);
          waiting.set({ queue }, Math.max(0, ...next.map((job) => waitedMs(job))) / 1000);
        }
      };
    });
  }
}

/** Since it was due: a job that is tried again has waited since its last attempt. One that was taken meanwhile is undefined. */
function waitedMs(job: Job | undefined): number {
  if (job === undefined) return 0;
  return Date.now() - Math.max(job.timestamp + job.delay, job.processedOn ?? 0);
}
