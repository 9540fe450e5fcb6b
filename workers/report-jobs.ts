import { Injectable } from '@nestjs/common';
import { Log } from '../src/domain/shared/log.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { Counters } from '../src/domain/statistics/counters.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';

/** Says what comes of the jobs of a consumer, in the log, the metrics and the charts. */
@Injectable()
export class ReportJobs {
  constructor(
    private readonly metrics: Metrics,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  follow(worker: QueueWorker): void {
    const queue = worker.name;
    const warn = oncePer(30_000, (reason: string) =>
      this.log.warn('a queue cannot be consumed', { queue, reason }),
    );
    worker.on('error', (error) => warn(error.message));
    worker.reportFault = (error, job) => {
      this.log.error('job failed', error, { queue, job: job.name, id: job.id });
    };
    const warnOfLoss = oncePer(30_000, () =>
      this.log.warn('Redis has lost jobs: it must not evict keys; they are published again', { queue }),
    );
    worker.reportLoss = () => warnOfLoss();
    worker.on('completed', (job) => this.count(queue, 'completed', job.name));
    worker.on('failed', (job) => this.count(queue, 'failed', job?.name));
    worker.on('stalled', () => this.metrics.jobs.inc({ queue, outcome: 'stalled' }));
  }

  /** For the charts without heartbeats, which would be most of what an idle queue has. */
  private count(queue: string, outcome: 'completed' | 'failed', job: string | undefined): void {
    this.metrics.jobs.inc({ queue, outcome });
    if (job !== heartbeatJob.name) this.counters.add(null, `jobs.${queue}.${outcome}`);
  }
}
