import { BullRegistrar, type WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Log } from '../src/domain/shared/log.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { ConsumerHealth } from './consumer-health.js';
import { ReportJobs } from './report-jobs.js';

/** Within 20 s a process is gone (security F15); the rest is for closing connections. */
const DRAIN_MS = 17_000;

/** The processors of the queues that this process works. */
export class WorkedProcessors {
  constructor(readonly all: readonly WorkerHost<QueueWorker>[]) {}
}

/** Starts and ends the consuming of jobs. */
@Injectable()
export class Consumers implements BeforeApplicationShutdown {
  private workers: readonly QueueWorker[] = [];

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly processors: WorkedProcessors,
    private readonly reports: ReportJobs,
    private readonly health: ConsumerHealth,
    private readonly log: Log,
  ) {}

  start(): void {
    this.registrar.register();
    this.workers = this.processors.all.map((processor) => processor.worker);
    for (const worker of this.workers) this.reports.follow(worker);
    this.health.watch(this.workers);
  }

  /** Takes nothing new, waits for what is running; what does not end in time is taken over by another worker. */
  async beforeApplicationShutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS, 'late');
    });
    const drained = Promise.all(this.workers.map((worker) => worker.close()));
    if ((await Promise.race([drained, late])) === 'late') {
      this.log.warn('shut down before all jobs had ended; other workers take them over');
    }
    clearTimeout(timer);
  }
}
