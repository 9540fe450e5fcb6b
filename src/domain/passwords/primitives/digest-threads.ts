import type { ScryptOptions } from 'node:crypto';
import type { HashingLane } from '../schemes/password-scheme.js';
import { Threads } from './threads.js';

/** The digest of the password or salt (`part`) repeated `times` times: SHA-crypt's sequences. */
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

type DigestTask = RepeatTask | ChainTask | AlternateTask;

/** A whole verification by a library, which knows the form. */
interface VerifyTask {
  readonly kind: 'argon2' | 'bcrypt';
  readonly encoded: string;
  readonly password: Uint8Array;
}

/** A key of node:crypto. */
type DeriveTask =
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

/** Threads for digest loops. The hashing pool, in which every verification runs, bounds how many there are. */
export class DigestThreads {
  private readonly threads: Threads<ThreadTask>;

  constructor(niceness: number) {
    this.threads = new Threads(
      new URL('./digest-rounds.mjs', import.meta.url),
      { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
      { niceness },
    );
  }

  /** Undefined for work over the budget. */
  async run(task: DigestTask): Promise<Uint8Array | undefined> {
    return bytesOf(task) > MOST_BYTES ? undefined : await this.threads.ask<Uint8Array>(task);
  }

  async verify(task: VerifyTask): Promise<boolean> {
    return await this.threads.ask<boolean>(task);
  }

  async derive(task: DeriveTask): Promise<Uint8Array> {
    return await this.threads.ask<Uint8Array>(task);
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
