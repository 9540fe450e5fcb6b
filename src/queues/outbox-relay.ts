import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { OutboxSignal } from '../domain/outbox/outbox-signal.js';
import { OutboxStore, type JobQueue, type OutboxJob } from '../domain/outbox/outbox.store.js';
import { crashPoint } from '../domain/shared/crash-point.js';
import { Log } from '../domain/shared/log.js';
import { messageOf } from '../domain/shared/message-of.js';
import { oncePer } from '../domain/shared/once-per.js';
import { JobQueues } from './job-queues.js';

const SWEEP_MS = 1_000;
const BATCH = 250;
/** Of a million mails, this many are in Redis at a time. */
const MAX_BULK_PUBLISHED = 1_000;
/**
 * They are topped up by so many: not one by one, as each makes room, and not by so many that a row which somebody waits
 * for would feel it.
 */
const BULK_BATCH = 50;
const CHECK_MS = 5_000;
const STALE_AFTER_MS = 15_000;
const CHECK_BATCH = 1_000;

/**
 * Carries outbox rows to the queues. Any number of relays may run; each row goes to one of them.
 *
 * A row is marked published in Postgres first and added to the queue second. So no lock is held while Redis is
 * asked, and a process that dies between the two leaves a published row without a job. That is the same state
 * which a flushed Redis leaves, and one check cures both: a published row whose job the queue does not hold goes
 * back to pending under the next epoch. A job added twice under two epochs does its work once, because the worker
 * claims the row in Postgres.
 */
@Injectable()
export class OutboxRelay implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private wake: () => void = () => undefined;
  private woken = false;
  private stopListening: () => Promise<void> = async () => undefined;
  private loops: Promise<unknown> = Promise.resolve();
  private readonly warn: (reason: string) => void;

  constructor(
    private readonly outbox: OutboxStore,
    private readonly signal: OutboxSignal,
    private readonly queues: JobQueues,
    log: Log,
  ) {
    this.warn = oncePer(30_000, (reason: string) => log.warn('the outbox cannot be relayed', { reason }));
  }

  start(worked: readonly JobQueue[]): void {
    this.stopListening = this.signal.listen(() => {
      this.woken = true;
      this.wake();
    });
    this.loops = Promise.all([this.publishLoop(worked), this.checkLoop(worked)]);
  }

  /** Resolves when nothing is under way any more. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await Promise.all([this.loops, this.stopListening()]);
  }

  /** One sweep over the queues. @returns whether there is likely more to publish right away */
  async publishDue(worked: readonly JobQueue[]): Promise<boolean> {
    let more = false;
    for (const { queue, lane } of await this.outbox.findDueLanes(worked)) {
      // rows stay pending while Redis is away: better than marking and unmarking them every second
      if (!this.queues.isUp(queue)) continue;
      const limit = lane === 'bulk' ? BULK_BATCH : BATCH;
      if (lane === 'bulk' && !(await this.hasRoomForBulk(queue))) continue;
      const jobs = await this.outbox.takePending(queue, lane, limit);
      await this.publish(queue, jobs);
      more ||= jobs.length === limit;
    }
    return more;
  }

  /** One look at published rows nobody looked at lately. @returns how many go out again */
  async checkPublished(worked: readonly JobQueue[]): Promise<number> {
    let returned = 0;
    for (const queue of worked) {
      if (!this.queues.isUp(queue)) continue;
      const jobs = await this.outbox.takeStale(queue, STALE_AFTER_MS, CHECK_BATCH);
      if (jobs.length === 0) continue;
      const fates = await this.queues.fates(jobs);
      const missing = jobs.filter((_, index) => fates[index] === 'missing');
      // the job is over and its row is not: it failed on the way, or reported an end it had not reached
      const ended = jobs.filter((_, index) => fates[index] === 'ended');
      returned += await this.outbox.returnToPending(missing, 'now');
      returned += await this.outbox.returnToPending(ended, 'backed-off');
    }
    return returned;
  }

  private async publish(queue: JobQueue, jobs: readonly OutboxJob[]): Promise<void> {
    if (jobs.length === 0) return;
    crashPoint('relay-after-mark');
    try {
      await this.queues.publish(queue, jobs);
    } catch (error) {
      // some may have arrived; the next epoch makes that harmless
      await this.outbox.returnToPending(jobs, 'now');
      throw error;
    }
    crashPoint('relay-after-publish');
  }

  private async hasRoomForBulk(queue: JobQueue): Promise<boolean> {
    return (await this.outbox.countPublished(queue, 'bulk')) + BULK_BATCH <= MAX_BULK_PUBLISHED;
  }

  private async publishLoop(worked: readonly JobQueue[]): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = false;
      const more = await this.attempt(() => this.publishDue(worked));
      if (more !== true) await this.nextSweep();
    }
  }

  private async checkLoop(worked: readonly JobQueue[]): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(spread(CHECK_MS), undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      if (((await this.attempt(() => this.checkPublished(worked))) ?? 0) > 0) this.wake();
    }
  }

  private async nextSweep(): Promise<void> {
    if (this.woken || this.stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, spread(SWEEP_MS));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Postgres or Redis may be away for a while; the loops are not allowed to end over it. */
  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.warn(messageOf(error));
      return undefined;
    }
  }
}

/** Relays that started together should not sweep together. */
function spread(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
