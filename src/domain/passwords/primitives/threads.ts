import { once } from 'node:events';
import { Worker, type ResourceLimits } from 'node:worker_threads';

/**
 * Threads that each answer one task at a time, started when first needed and kept. Whoever asks bounds how many there
 * are. An idle one does not keep the process alive.
 */
export class Threads<Task> {
  private readonly idle = new Set<Worker>();

  /** @param file a module that answers each message by one */
  constructor(
    private readonly file: URL,
    private readonly resourceLimits: ResourceLimits,
    private readonly workerData: Readonly<Record<string, unknown>> = {},
  ) {}

  /** Rejects with the thread's own error when it throws. */
  async ask<Answer>(task: Task): Promise<Answer> {
    const thread = this.take();
    const settled = new AbortController();
    try {
      const gone = once(thread, 'exit', settled).then(() => {
        throw new Error('a thread ended before it answered');
      });
      const answered = once(thread, 'message', settled) as Promise<[Answer]>;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      thread.postMessage(task);
      const [result] = await Promise.race([answered, gone]);
      thread.unref();
      this.idle.add(thread);
      return result;
    } finally {
      settled.abort();
    }
  }

  private take(): Worker {
    const [thread] = this.idle;
    if (thread === undefined) return this.start();
    this.idle.delete(thread);
    thread.ref();
    return thread;
  }

  private start(): Worker {
    const { workerData, resourceLimits } = this;
    // Neither the environment, which holds secrets, nor options of the main thread are its business.
    const thread = new Worker(this.file, { env: {}, workerData, execArgv: [], resourceLimits });
    // A thread that exits while idle is dropped; a pending job is rejected above.
    thread.on('error', () => this.idle.delete(thread));
    thread.on('exit', () => this.idle.delete(thread));
    return thread;
  }
}
