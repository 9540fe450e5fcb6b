import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { JobsOptions } from 'bullmq';
import { Config } from '../src/config/config.js';
import { Log } from '../src/domain/shared/log.js';
import { messageOf } from '../src/domain/shared/message-of.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { chainAges } from '../src/domain/signing-keys/due-steps.js';
import { KeySettings } from '../src/domain/signing-keys/key-settings.js';
import { SigningKeysStore } from '../src/domain/signing-keys/signing-keys.store.js';
import type { BullQueueName } from '../src/queues/job-contract.js';
import { JobQueues } from '../src/queues/job-queues.js';
import { rotateKeysJob } from '../src/queues/keys.queue.js';
import {
  ensureEventPartitionsJob,
  lookAfterProvidersJob,
  removeExpiredRowsJob,
  removeOldEventsJob,
  removeUnusedRowsJob,
  sweepStuckRowsJob,
} from '../src/queues/maintenance.queue.js';

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;
/** A step of the keys is taken within a minute of its time; so late, somebody should look. */
const OVERDUE_SECONDS = 300;

interface Schedule {
  readonly queue: BullQueueName;
  readonly name: string;
  readonly everyMs: number;
  readonly options: JobsOptions;
}

/**
 * What runs by the clock. The schedules are this list, and the row in Postgres that says how keys change; the queue
 * only holds a mirror of it, which a flushed Redis loses. So every worker looks every few seconds whether the mirror is
 * there and has not stopped, and upserts by name where it is not. One that stands is left alone: upserting at every
 * start from every replica is how schedules get doubled or lost.
 */
@Injectable()
export class Schedules implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly warn: (reason: string) => void;
  private readonly alarm: (chain: string) => void;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: JobQueues,
    private readonly config: Config,
    private readonly keys: SigningKeysStore,
    private readonly keySettings: KeySettings,
    log: Log,
  ) {
    this.alarm = oncePer(MINUTE_MS, (chain: string) =>
      log.warn('the rotation of keys is overdue', { chain }),
    );
    this.warn = oncePer(30_000, (reason: string) => log.warn('schedules could not be updated', { reason }));
  }

  start(): void {
    this.loop = this.keepLooking();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async list(): Promise<readonly Schedule[]> {
    const schedules = [...this.fixed()];
    if (this.config.app.queues.worked.includes('keys')) {
      schedules.push({ ...rotateKeysJob, everyMs: await this.lookAtKeys() });
    }
    return schedules;
  }

  /** @returns how often to look for due steps: often enough that each is taken near its time */
  private async lookAtKeys(): Promise<number> {
    const seen = await this.keys.now();
    for (const { chain, overdueSeconds } of chainAges(seen, this.keySettings.leaseMs)) {
      if (overdueSeconds > OVERDUE_SECONDS) this.alarm(chain);
    }
    return Math.max(250, Math.min(MINUTE_MS, seen.schedule.leadSeconds * 100));
  }

  private fixed(): readonly Schedule[] {
    if (!this.config.app.queues.worked.includes('maintenance')) return [];
    return [
      { ...sweepStuckRowsJob, everyMs: 5 * MINUTE_MS },
      { ...removeExpiredRowsJob, everyMs: 10 * MINUTE_MS },
      { ...removeUnusedRowsJob, everyMs: 60 * MINUTE_MS },
      { ...removeOldEventsJob, everyMs: 360 * MINUTE_MS },
      { ...ensureEventPartitionsJob, everyMs: 360 * MINUTE_MS },
      { ...lookAfterProvidersJob, everyMs: 1440 * MINUTE_MS },
    ];
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const missed = await this.look();
      await sleep(missed ? LOOK_MS / 10 : LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether a queue was out of reach */
  private async look(): Promise<boolean> {
    try {
      return await this.restoreAll(await this.list());
    } catch (error) {
      this.warn(messageOf(error));
      return await this.restoreAll(this.fixed());
    }
  }

  /** @returns whether a queue was out of reach */
  private async restoreAll(schedules: readonly Schedule[]): Promise<boolean> {
    let missed = false;
    for (const schedule of schedules) {
      if (this.stopping.signal.aborted) return false;
      if (!this.queues.isLinked(schedule.queue)) {
        missed = true;
        continue;
      }
      try {
        await this.restore(schedule);
      } catch (error) {
        this.warn(messageOf(error));
      }
    }
    return missed;
  }

  private async restore({ queue, name, everyMs, options }: Schedule): Promise<void> {
    const mirror = await this.queues.queue(queue).getJobScheduler(name);
    // with all its workers away a due job just waits; that it is long overdue while we are here means it is lost
    // and one that is long ahead was planned by a clock that was set back since (security F30)
    const late = Math.abs(Date.now() - (mirror?.next ?? 0));
    if (mirror?.every === everyMs && late <= everyMs + MINUTE_MS) return;
    // an upsert keeps the planned time: only a new schedule begins now
    if ((mirror?.next ?? 0) > Date.now() + everyMs) await this.queues.queue(queue).removeJobScheduler(name);
    await this.queues
      .queue(queue)
      .upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: options });
  }
}
