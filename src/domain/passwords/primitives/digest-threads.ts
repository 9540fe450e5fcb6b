import type { ScryptOptions } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HashingLane } from '../schemes/password-scheme.js';

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

/** A whole verification by a library, which knows the form. */
export interface VerifyTask {
  readonly kind: 'argon2' | 'bcrypt';
  readonly encoded: string;
  readonly password: Uint8Array;
}

/** A key of node:crypto. */
export type DeriveTask =
  | {
      readonly kind: 'pbkdf2';
      readonly password: Uint8Array;
      readonly salt: Uint8Array;
      readonly iterations: number;
      readonly length: number;
      readonly digest: string;
    }
  | {
      readonly kind: 'scrypt';
      readonly password: Uint8Array;
      readonly salt: Uint8Array;
      readonly length: number;
      readonly options: ScryptOptions;
    };

export type ThreadTask = DigestTask | VerifyTask | DeriveTask;

/**
 * Most bytes that one verification may digest, about three seconds of a thread. Rounds have caps of their own; this
 * one stops a long password from multiplying them. What is past it does not match.
 */
const MOST_BYTES = 2 ** 30;

/**
 * How far the slow threads stand back (nice(2)): of a core that they share with others they get about a quarter. So
 * one who signs in with a hash of seconds hardly delays those with an ordinary one, and still gets on at a busy time.
 * Where the system knows no priority of threads they get half.
 */
const SLOW_NICENESS = 5;

/**
 * Threads for digest loops, started when first needed and kept. The hashing pool, in which every verification runs,
 * bounds how many there are. An idle one does not keep the process alive.
 */
export class DigestThreads {
  private readonly idle = new Set<Worker>();

  constructor(private readonly niceness: number) {}

  /** Undefined for work over the budget. */
  async run(task: DigestTask): Promise<Uint8Array | undefined> {
    return bytesOf(task) > MOST_BYTES ? undefined : await this.ask<Uint8Array>(task);
  }

  async verify(task: VerifyTask): Promise<boolean> {
    return await this.ask<boolean>(task);
  }

  async derive(task: DeriveTask): Promise<Uint8Array> {
    return await this.ask<Uint8Array>(task);
  }

  private async ask<Answer>(task: ThreadTask): Promise<Answer> {
    const thread = this.take();
    const settled = new AbortController();
    try {
      // Both reject with the thread's own error when it throws.
      const gone = once(thread, 'exit', settled).then(() => {
        throw new Error('a digest thread ended before it answered');
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
    // Neither the environment, which holds secrets, nor options of the main thread are its business.
    const thread = new Worker(new URL('./digest-rounds.mjs', import.meta.url), {
      env: {},
      workerData: { niceness: this.niceness },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    });
    // One that ends while nobody waits is forgotten; whoever waits hears of it above.
    thread.on('error', () => this.idle.delete(thread));
    thread.on('exit', () => this.idle.delete(thread));
    return thread;
  }
}

export const digestThreads = new DigestThreads(0);
/** For whatever is computed in the slow lane. */
export const slowThreads = new DigestThreads(SLOW_NICENESS);

export function threadsOf(lane: HashingLane | undefined): DigestThreads {
  return lane === 'slow' ? slowThreads : digestThreads;
}

function bytesOf(task: DigestTask): number {
  if (task.kind === 'repeat') return task.part.length * task.times;
  const salt = task.kind === 'alternate' ? task.salt.length + task.password.length : 0;
  return task.rounds * (task.state.length + task.password.length + salt);
}
