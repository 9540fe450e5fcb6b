import { Injectable } from '@nestjs/common';
import { Config } from '../src/config/config.js';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import { Health } from '../src/ops/health.js';
import type { BullQueueName } from '../src/queues/job-contract.js';
import { JobQueues } from '../src/queues/job-queues.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';

/** An idle worker gets an answer at least every 11 s; a probe must turn red within 30 s of the last (security F08). */
const SILENCE_MS = 20_000;
const HEARTBEAT_GRACE_MS = 10_000;

/**
 * Answers for the consuming of jobs. Two things can be wrong with a consumer whose process looks well: its own loop no
 * longer gets answers from the queue, or the queue as a whole is not consumed. The first is measured in this process, so
 * that a worker cut off alone is found; the second is the heartbeat's age.
 */
@Injectable()
export class ConsumerHealth {
  constructor(
    private readonly queues: JobQueues,
    private readonly maintenance: MaintenanceStore,
    private readonly health: Health,
    private readonly config: Config,
  ) {}

  /** @param workers which have begun to consume just now */
  watch(workers: readonly QueueWorker[]): void {
    const startedAt = performance.now();
    for (const worker of workers) this.watchSilence(worker);
    this.health.addLiveness('heartbeats', () => this.staleHeartbeats(workers, performance.now() - startedAt));
    this.health.addReadiness('queues', async () => {
      const down = this.config.app.queues.worked.filter((queue) => !this.queues.isLinked(queue));
      return down.length === 0 ? undefined : `${down.join(', ')} out of reach`;
    });
  }

  private watchSilence(worker: QueueWorker): void {
    const queue = worker.name;
    const limit = Math.max(SILENCE_MS, this.config.app.queues.heartbeatIntervalMs + 15_000);
    const judge = (ms: number) => (ms > limit ? `silent for ${seconds(ms)}` : undefined);
    this.health.addLiveness(`queue ${queue}`, async () => judge(worker.silentMs));
    this.health.addStuckness(`queue ${queue}`, async () => judge(worker.stuckMs));
  }

  private async staleHeartbeats(workers: readonly QueueWorker[], upFor: number): Promise<string | undefined> {
    const limit = 3 * this.config.app.queues.heartbeatIntervalMs + HEARTBEAT_GRACE_MS;
    if (upFor < limit) return undefined;
    // an outage of Postgres is no reason to restart a worker; readiness reports it
    const known = await this.maintenance.listHeartbeats().catch(() => undefined);
    if (known === undefined) return undefined;
    const stale: string[] = [];
    for (const { name } of workers) {
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
