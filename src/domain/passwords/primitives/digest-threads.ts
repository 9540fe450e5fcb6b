import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The password or salt, digested as often as told: SHA-crypt's sequences. */
export interface RepeatTask {
  readonly kind: 'repeat';
  readonly digest: string;
  readonly part: Uint8Array;
  readonly times: number;
}

/** state = digest(state ‖ password), again and again: phpass and Drupal. */
export interface ChainTask {
  readonly kind: 'chain';
  readonly digest: string;
  readonly state: Uint8Array;
  readonly password: Uint8Array;
  readonly rounds: number;
}

/** The rounds of MD5-crypt and SHA-crypt, which put state, salt and password in an order that changes. */
export interface AlternateTask extends Omit<ChainTask, 'kind'> {
  readonly kind: 'alternate';
  readonly salt: Uint8Array;
}

export type DigestTask = RepeatTask | ChainTask | AlternateTask;

/**
 * Most bytes that one verification may digest, about three seconds of a thread. Rounds have caps of their own; this
 * one stops a long password from multiplying them. What is past it does not match.
 */
const MOST_BYTES = 2 ** 30;

/**
 * Threads for digest loops, started when first needed and kept. The hashing pool, in which every verification runs,
 * bounds how many there are. An idle one does not keep the process alive.
 */
class DigestThreads {
  private readonly idle = new Set<Worker>();

  /** Undefined for work over the budget. */
  async run(task: DigestTask): Promise<Uint8Array | undefined> {
    if (bytesOf(task) > MOST_BYTES) return undefined;
    const thread = this.take();
    const settled = new AbortController();
    try {
      // Both reject with the thread's own error when it throws.
      const gone = once(thread, 'exit', settled).then(() => {
        throw new Error('a digest thread ended before it answered');
      });
      const answered = once(thread, 'message', settled) as Promise<[Uint8Array]>;
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
    // Neither the environment, which holds secrets, nor options of the main thread are its business.
    const thread = new Worker(new URL('./digest-rounds.mjs', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    });
    // One that ends while nobody waits is forgotten; whoever waits hears of it above.
    thread.on('error', () => this.idle.delete(thread));
    thread.on('exit', () => this.idle.delete(thread));
    return thread;
  }
}

export const digestThreads = new DigestThreads();

function bytesOf(task: DigestTask): number {
  if (task.kind === 'repeat') return task.part.length * task.times;
  const salt = task.kind === 'alternate' ? task.salt.length + task.password.length : 0;
  return task.rounds * (task.state.length + task.password.length + salt);
}
