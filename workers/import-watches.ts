import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ImportsStore, type ImportAtWork } from '../src/domain/imports/imports.store.js';
import { Log } from '../src/domain/shared/log.js';
import { messageOf } from '../src/domain/shared/message-of.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { importProgressJob, importProgressJobId } from '../src/queues/import-progress.queue.js';
import { IMPORT_PROGRESS } from '../src/queues/job-contract.js';
import { JobQueues } from '../src/queues/job-queues.js';
import { replaceJob } from '../src/queues/replace-job.js';

const LOOK_MS = 1_000;
/** More than anybody looks at. */
const MOST = 500;

/**
 * Ensures that every running import has its job in the dashboard. Postgres is the source of truth; the queue only
 * mirrors it, so that a Redis that was emptied has it back within a second or two, and no request waits for Redis.
 */
@Injectable()
export class ImportWatches implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly warn: (reason: string) => void;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly imports: ImportsStore,
    private readonly queues: JobQueues,
    log: Log,
  ) {
    this.warn = oncePer(30_000, (reason: string) =>
      log.warn('the progress of imports cannot be shown in the dashboard', { reason }),
    );
  }

  start(): void {
    this.loop = this.keepLooking();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** For one that may be over before anybody looks. */
  async begin(watch: ImportAtWork): Promise<void> {
    if (!this.queues.isLinked(IMPORT_PROGRESS)) return;
    await this.add(watch).catch((error: unknown) => this.logFailure(error));
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => this.logFailure(error));
      // workers that started together should not look together
      await sleep(LOOK_MS * (0.8 + Math.random() * 0.4), undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    if (!this.queues.isLinked(IMPORT_PROGRESS)) return;
    const atWork = await this.imports.listAtWork(MOST);
    if (atWork.length === 0) return;
    const there = await this.queues
      .queue(IMPORT_PROGRESS)
      .getJobs(['active', 'waiting', 'delayed'], 0, 2 * MOST);
    const held = new Set(there.map((job) => job?.id));
    for (const watch of atWork) if (!held.has(importProgressJobId(watch))) await this.add(watch);
  }

  /** In place of one that has ended: what is asked for again after it was held back is the same job. */
  private async add(watch: ImportAtWork): Promise<void> {
    const options = { ...importProgressJob.options, jobId: importProgressJobId(watch) };
    await replaceJob(this.queues.queue(IMPORT_PROGRESS), watch.work, { ...watch }, options);
  }

  private logFailure(error: unknown): void {
    this.warn(messageOf(error));
  }
}
