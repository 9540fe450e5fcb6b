import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Log } from '../domain/shared/log.js';
import { redisTakesWrites } from '../queues/redis-takes-writes.js';
import { Health, type HealthReport } from './health.js';

const LOOK_MS = 5_000;
const STUCK_FOR_MS = 60_000;

/**
 * Ends a process that has been of no use for a minute for a reason of its own, so that whatever started it starts
 * another: plain Docker restarts what has ended, and leaves alone what is unhealthy. While PostgreSQL or Redis is
 * down a process is not stuck: a restart would not help, and the minute restarts when they are back.
 */
@Injectable()
export class EndWhenStuck implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private stuckSince: number | undefined;

  constructor(
    private readonly health: Health,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** @param end is called once, after the reason was logged */
  start(end: () => void = () => process.exit(1)): void {
    void this.keepLooking(end);
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** What a restart would mend now. Nothing while PostgreSQL or Redis is away, which are not even asked where nothing is stuck. */
  async mendable(): Promise<HealthReport> {
    const report = await this.health.stuck();
    return report.healthy || (await this.suppliersAnswer()) ? report : { healthy: true, failing: {} };
  }

  private async keepLooking(end: () => void): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const { healthy, failing } = await this.mendable();
      const now = performance.now();
      if (healthy) {
        this.stuckSince = undefined;
        continue;
      }
      this.stuckSince ??= now;
      if (now - this.stuckSince < STUCK_FOR_MS) continue;
      const reason = new Error('stuck for a minute although PostgreSQL and Redis answer');
      this.log.error('this process ends, to be started again', reason, failing);
      end();
      return;
    }
  }

  private async suppliersAnswer(): Promise<boolean> {
    const { app } = this.config;
    const [{ failing }, queuesAnswer] = await Promise.all([
      this.health.ready(),
      app.queues.backend === 'postgres' ? true : redisTakesWrites(app),
    ]);
    return failing['postgres'] === undefined && queuesAnswer;
  }
}
