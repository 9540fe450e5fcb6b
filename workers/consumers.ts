import { BullRegistrar, type WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../src/config/config.js';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import { Log } from '../src/domain/shared/log.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { Counters } from '../src/domain/statistics/counters.js';
import { Health } from '../src/ops/health.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import type { BullQueueName } from '../src/queues/job-contract.js';
import { JobQueues } from '../src/queues/job-queues.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';

/** Within 20 s a process is gone (security F15); the rest is for closing connections. */
const DRAIN_MS = 17_000;
/** An idle worker gets an answer at least every 11 s; a probe must turn red within 30 s of the last (security F08). */
const SILENCE_MS = 20_000;
const HEARTBEAT_GRACE_MS = 10_000;

/** The processors of the queues that this process works. */
export class WorkedProcessors {
  constructor(readonly all: readonly WorkerHost<QueueWorker>[]) {}
}

/**
 * Starts and ends the consuming of jobs, and answers for it. Two things can be wrong with a consumer whose process
 * looks well: its own loop no longer gets answers from the queue, or the queue as a whole is not consumed. The
 * first is measured in this process, so that a worker cut off alone is found; the second is the heartbeat's age.
 */
@Injectable()
export class Consumers implements BeforeApplicationShutdown {
  private workers: readonly QueueWorker[] = [];
  private startedAt = 0;

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly processors: WorkedProcessors,
    private readonly queues: JobQueues,
    private readonly maintenance: MaintenanceStore,
    private readonly health: Health,
    private readonly metrics: Metrics,
    private readonly counters: Counters,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  start(): void {
    this.registrar.register();
    this.startedAt = performance.now();
    this.workers = this.processors.all.map((processor) => processor.worker);
    for (const worker of this.workers) this.follow(worker);
    this.health.addLiveness('heartbeats', () => this.staleHeartbeats());
    this.health.addReadiness('queues', async () => {
      const down = this.config.app.queues.worked.filter((queue) => !this.queues.isLinked(queue));
      return down.length === 0 ? undefined : `${down.join(', ')} out of reach`;
    });
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

  private follow(worker: QueueWorker): void {
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
    const limit = Math.max(SILENCE_MS, this.config.app.queues.heartbeatIntervalMs + 15_000);
    const judge = (ms: number) => (ms > limit ? `silent for ${seconds(ms)}` : undefined);
    this.health.addLiveness(`queue ${queue}`, async () => judge(worker.silentMs));
    this.health.addStuckness(`queue ${queue}`, async () => judge(worker.stuckMs));
  }

  /** For the charts without heartbeats, which would be most of what an idle queue has. */
  private count(queue: string, outcome: 'completed' | 'failed', job: string | undefined): void {
    this.metrics.jobs.inc({ queue, outcome });
    if (job !== heartbeatJob.name) this.counters.add(null, `jobs.${queue}.${outcome}`);
  }

  private async staleHeartbeats(): Promise<string | undefined> {
    const limit = 3 * this.config.app.queues.heartbeatIntervalMs + HEARTBEAT_GRACE_MS;
    const upFor = performance.now() - this.startedAt;
    if (upFor < limit) return undefined;
    // Postgres being away is no reason to restart a worker; readiness tells that
    const known = await this.maintenance.listHeartbeats().catch(() => undefined);
    if (known === undefined) return undefined;
    const stale: string[] = [];
    for (const { name } of this.workers) {
      const age = known.find((heartbeat) => heartbeat.queue === name)?.ageMs ?? upFor;
      if (age > limit && !(await this.isPaused(name as BullQueueName)))
        stale.push(`${name} ${seconds(age)} old`);
    }
    return stale.length === 0 ? undefined : stale.join(', ');
  }

  /** By somebody at the dashboard: then nothing is consumed on purpose, and no restart would help. */
  private async isPaused(name: BullQueueName): Promise<boolean> {
    if (!this.queues.isLinked(name)) return false;
    return await this.queues
      .queue(name)
      .isPaused()
      .catch(() => false);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
