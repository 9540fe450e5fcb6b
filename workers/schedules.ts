import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { JobsOptions } from 'bullmq';
import { Config } from '../src/config/config.js';
import type { JobQueue } from '../src/domain/outbox/outbox.store.js';
import { Log } from '../src/domain/shared/log.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { JobQueues } from '../src/queues/job-queues.js';
import { ensureEventPartitionsJob, removeExpiredRowsJob } from '../src/queues/maintenance.queue.js';
import { oncePer } from '../src/domain/shared/once-per.js';

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

interface Schedule {
  readonly queue: JobQueue;
  readonly name: string;
  readonly everyMs: number;
  readonly options: JobsOptions;
}

/**
 * What runs by the clock. The schedules are this list; the queue only holds a mirror of it, which a flushed Redis
 * loses. So every worker looks every few seconds whether the mirror is there and has not stopped, and upserts by
 * name where it is not. One that stands is left alone: upserting at every start from every replica is how
 * schedules get doubled or lost (users-want P9).
 */
@Injectable()
export class Schedules implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly warn: (reason: string) => void;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: JobQueues,
    private readonly config: Config,
    log: Log,
  ) {
    this.warn = oncePer(30_000, (reason: string) => log.warn('schedules cannot be looked after', { reason }));
  }

  start(): void {
    this.loop = this.keepLooking(this.list());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private list(): readonly Schedule[] {
    const { worked, heartbeatIntervalMs } = this.config.app.queues;
    const heartbeats = worked.map((queue) => ({ queue, ...heartbeatJob, everyMs: heartbeatIntervalMs }));
    if (!worked.includes('maintenance')) return heartbeats;
    return [
      ...heartbeats,
      { ...removeExpiredRowsJob, everyMs: 10 * MINUTE_MS },
      { ...ensureEventPartitionsJob, everyMs: 360 * MINUTE_MS },
    ];
  }

  private async keepLooking(schedules: readonly Schedule[]): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const missed = await this.restoreAll(schedules);
      await sleep(missed ? LOOK_MS / 10 : LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether a queue was out of reach */
  private async restoreAll(schedules: readonly Schedule[]): Promise<boolean> {
    let missed = false;
    for (const schedule of schedules) {
      if (this.stopping.signal.aborted) return false;
      if (!this.queues.isUp(schedule.queue)) {
        missed = true;
        continue;
      }
      try {
        await this.restore(schedule);
      } catch (error) {
        this.warn(error instanceof Error ? error.message : 'unknown');
      }
    }
    return missed;
  }

  private async restore({ queue, name, everyMs, options }: Schedule): Promise<void> {
    const mirror = await this.queues.queue(queue).getJobScheduler(name);
    // with all its workers away a due job just waits; that it is long overdue while we are here means it is lost
    const overdue = Date.now() - (mirror?.next ?? 0) > everyMs + MINUTE_MS;
    if (mirror?.every === everyMs && !overdue) return;
    await this.queues
      .queue(queue)
      .upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: options });
  }
}
