import { setTimeout as sleep } from 'node:timers/promises';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { DelayedError, ErrorCode, UnrecoverableError, type Job } from 'bullmq';
import type { ImportJob } from '../src/domain/imports/import-job.js';
import { progressOf, type ImportProgress } from '../src/domain/imports/import-progress.js';
import { ImportsStore } from '../src/domain/imports/imports.store.js';
import type { ImportJobId } from '../src/domain/shared/ids.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { importProgressJob, shownBefore, shownProgress } from '../src/queues/import-progress.queue.js';
import { IMPORT_PROGRESS } from '../src/queues/job-contract.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { delayJob } from './delay-job.js';
import { RecordHeartbeat } from './record-heartbeat.js';

/** Each costs a line of a statement once a second; more than these stand in line. */
export const AT_ONCE = 200;
/** Where all places are taken nobody keeps one for longer: a worker without a free place looks stuck to its probe. */
const TURN_MS = 5_000;
const LOOK_MS = 1_000;
/** So soon after it was resumed an import is active again. */
const PAUSED_MS = 2_000;

/**
 * Shows imports in the dashboard: a job stays active for as long as its import runs and mirrors, once a second, how
 * far Postgres says that it is. It does nothing for the import. A worker that ends hands its jobs to another at once; one
 * that died is found out by the lapse of its locks.
 */
@Processor(IMPORT_PROGRESS, {
  concurrency: AT_ONCE,
  lockDuration: 8_000,
  stalledInterval: 3_000,
  // a job that outlives many workers is no bad job
  maxStalledCount: 1_000,
})
export class ImportProgressProcessor extends WorkerHost<QueueWorker> implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  /** For each job, the run that mirrors it: a job that Redis lost and got again may reach a process that still holds the old one. */
  private readonly mirrors = new Map<string, symbol>();

  constructor(
    private readonly imports: ImportsStore,
    private readonly heartbeat: RecordHeartbeat,
  ) {
    super();
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    if (job.name === heartbeatJob.name) {
      await this.heartbeat.run(IMPORT_PROGRESS);
      return undefined;
    }
    const mirror = Symbol(job.id);
    this.mirrors.set(job.id ?? '', mirror);
    try {
      return await this.mirror(job, token, () => this.mirrors.get(job.id ?? '') === mirror);
    } catch (error) {
      // Given up without a word to the queue: ImportWatches adds the job again, and what would end it, as done or as failed, would
      // meet that one, whose lock is still the one of the job that was lost.
      if (isLost(error)) throw new DelayedError();
      throw error;
    } finally {
      if (this.mirrors.get(job.id ?? '') === mirror) this.mirrors.delete(job.id ?? '');
    }
  }

  private async mirror(job: Job, token: string | undefined, isMine: () => boolean): Promise<string> {
    const payload = importProgressJob.payload.safeParse(job.data);
    if (!payload.success) throw new UnrecoverableError('the payload does not fit the contract');
    const { jobId, work } = payload.data;
    const begunAt = performance.now();
    const turnIsOver = (): boolean => this.mirrors.size >= AT_ONCE && performance.now() - begunAt > TURN_MS;
    while (isMine()) {
      if (this.stopping.signal.aborted || turnIsOver()) return await delayJob(job, token, 0);
      // Postgres may be away for a while: then there is nothing new to show
      const found = await this.imports.look(jobId as ImportJobId).catch(() => 'unknown' as const);
      if (found === undefined) return 'gone';
      if (found !== 'unknown') {
        const progress = progressOf(found, work);
        if (!(await show(job, progress))) return 'lost';
        if (progress.ended) return ended(found, progress);
        if (progress.state === 'paused') return await delayJob(job, token, PAUSED_MS);
      }
      await this.nextSecond();
    }
    return 'lost';
  }

  /** All at the same moment, so that one statement looks for all of them. */
  private async nextSecond(): Promise<void> {
    const { signal } = this.stopping;
    await sleep(LOOK_MS - (Date.now() % LOOK_MS), undefined, { signal }).catch(() => undefined);
  }
}

/** @returns false where Redis holds the job in no list: it is given up, and added again. Throws where Redis does not hold it at all */
async function show(job: Job, progress: ImportProgress): Promise<boolean> {
  try {
    if (shownBefore(job).state !== progress.state) await job.log(sentence(progress));
    await job.updateProgress({ ...shownProgress(progress) });
    return await job.isActive();
  } catch (error) {
    if (isLost(error)) throw error;
    return false;
  }
}

/** A Redis that evicts keys has dropped the job's own. */
function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === ErrorCode.JobNotExist;
}

/** @returns the outcome, for the dashboard */
function ended({ reason }: ImportJob, { state, failed }: ImportProgress): string {
  const outcome = reason === undefined ? state : `${state}: ${reason}`;
  if (state === 'failed') throw new UnrecoverableError(outcome);
  return failed === 0 ? outcome : `${outcome}, ${failed} records failed`;
}

function sentence({ state, percent, done, total, unit, failed }: ImportProgress): string {
  const of = total === undefined ? '' : ` of ${total}`;
  return `${state}, ${percent} %: ${done}${of} ${unit}${failed === 0 ? '' : `, ${failed} failed`}`;
}
