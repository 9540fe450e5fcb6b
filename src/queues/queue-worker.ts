import {
  UnrecoverableError,
  Worker,
  type ConnectionOptions,
  type Job,
  type Processor,
  type WorkerOptions,
} from 'bullmq';
import { ChannelError } from '../domain/notifications/channels.js';
import { tracedJob } from '../tracing/trace.js';
import { reconnectDelay } from './queue-connection.js';
import { retryDelay } from './retry-delay.js';

/** Whatever a job does is divided so that a part takes seconds; the longest are those that clear a backlog away. */
const LONGEST_JOB_MS = 30 * 60_000;

/** Errors that BullMQ steers by, and those whose message is made to be shown. */
const TELLABLE = new Set([
  'AttemptFailed',
  'DelayedError',
  'UnrecoverableError',
  'WaitingError',
  'WaitingChildrenError',
]);

/**
 * BullMQ's worker with this service's rules, the same for every queue:
 * - it waits for Redis for ever, where producers fail at once;
 * - a job of a worker that died is taken over within about 20 s;
 * - it reports when its loop last got an answer from the queue, which `isRunning()` does not;
 * - a job of which Redis kept the place alone is taken out, so that it is missed and published again (security F05);
 * - what an unforeseen error says goes to the log only, since Redis and the dashboard would show it.
 */
export class QueueWorker extends Worker {
  /** Set by whoever starts the worker. */
  reportFault: (error: unknown, job: Job) => void = () => undefined;
  /** The same, for jobs that Redis lost but for their place in a list. */
  reportLoss: () => void = () => undefined;
  private answeredAt = performance.now();
  private readonly startedAt = new Map<string, number>();

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    super(name, processor, {
      lockDuration: 15_000,
      stalledInterval: 5_000,
      maxStalledCount: 3,
      runRetryDelay: 2_000,
      settings: { backoffStrategy: (attempts, _type, error) => retryDelay(attempts, error) },
      ...options,
      connection: patient(options.connection),
    });
  }

  /** Milliseconds since the queue last answered a request for work, whether with a job or with none. */
  get silentMs(): number {
    return performance.now() - this.answeredAt;
  }

  /**
   * As `silentMs`, but 0 while all its places are taken by jobs that may take so long: it then asks for none, and a
   * restart would only begin them again.
   */
  get stuckMs(): number {
    const oldest = Math.min(...this.startedAt.values());
    const busy = this.startedAt.size >= this.concurrency;
    return busy && performance.now() - oldest < LONGEST_JOB_MS ? 0 : this.silentMs;
  }

  protected override async nextJobFromJobData(
    ...answer: Parameters<Worker['nextJobFromJobData']>
  ): ReturnType<Worker['nextJobFromJobData']> {
    this.answeredAt = performance.now();
    return await super.nextJobFromJobData(...answer);
  }

  protected override async callProcessJob(job: Job, token: string, signal?: AbortSignal): Promise<unknown> {
    const { id = '' } = job;
    if (isEmptied(job)) {
      this.reportLoss();
      // a failed job would stand for work that has ended, and would be published again with a delay
      job.opts.removeOnFail = true;
      throw new UnrecoverableError('Redis has lost the job');
    }
    this.startedAt.set(id, performance.now());
    try {
      return await tracedJob(
        {
          queue: this.name,
          name: job.name,
          id,
          attempt: job.attemptsMade + 1,
          traceparent: job.opts.telemetry?.metadata,
        },
        () => super.callProcessJob(job, token, signal),
      );
    } catch (error) {
      if (error instanceof ChannelError || (error instanceof Error && TELLABLE.has(error.name))) throw error;
      this.reportFault(error, job);
      throw new Error('internal error, see the log of the worker', { cause: error });
    } finally {
      this.startedAt.delete(id);
    }
  }
}

/**
 * A Redis that evicts keys drops the job's own and keeps its id in a list. Where BullMQ moves such an id, it makes a new
 * job under it, without the name that every job has.
 */
function isEmptied({ name }: { readonly name?: string }): boolean {
  return name === undefined;
}

/** A pool of Postgres connections has its own ways; Redis options become those of someone who waits. */
function patient(connection: ConnectionOptions): ConnectionOptions {
  if ('connect' in connection) return connection;
  return {
    ...connection,
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    // longer than the longest wait for a job
    socketTimeout: 15_000,
    retryStrategy: reconnectDelay,
  };
}
