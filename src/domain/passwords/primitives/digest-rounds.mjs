// @ts-check
import { createHash, hash, pbkdf2Sync, scryptSync } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { verifySync as verifyArgon2 } from '@node-rs/argon2';
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt';

/**
 * The long loops of the crypt family, for which node:crypto has no call: a thread runs them, because a thousand
 * rounds and more would hold the event loop. On the slow threads all other hashes as well. Plain JavaScript, because a
 * thread starts from a file and the tests run from the sources. `digest-threads.ts` starts it and says what each task
 * means.
 */

/** @import { RepeatTask, ChainTask, AlternateTask, ThreadTask } from './digest-threads.js' */

/** @param {RepeatTask} task */
function repeat({ digest, part, times }) {
  const state = createHash(digest);
  for (let count = 0; count < times; count++) state.update(part);
  return state.digest();
}

/** @param {ChainTask} task */
function chain({ digest, state, password, rounds }) {
  const text = Buffer.concat([state, password]);
  for (let round = 0; round < rounds; round++) text.set(hash(digest, text, 'buffer'));
  return text.subarray(0, state.length);
}

/** @param {AlternateTask} task */
function alternate({ digest, state: first, password, salt, rounds }) {
  let state = Buffer.from(first);
  for (let round = 0; round < rounds; round++) {
    const odd = round % 2 === 1;
    const step = createHash(digest).update(odd ? password : state);
    if (round % 3 !== 0) step.update(salt);
    if (round % 7 !== 0) step.update(password);
    state = step.update(odd ? state : password).digest();
  }
  return state;
}

/** @param {ThreadTask} task */
function run(task) {
  switch (task.kind) {
    case 'repeat':
      return repeat(task);
    case 'chain':
      return chain(task);
    case 'alternate':
      return alternate(task);
    case 'argon2':
      return verifyArgon2(task.encoded, task.password);
    case 'bcrypt':
      return verifyBcrypt(task.password, task.encoded);
    case 'pbkdf2':
      return pbkdf2Sync(task.password, task.salt, task.iterations, task.length, task.digest);
    case 'scrypt':
      return scryptSync(task.password, task.salt, task.length, task.options);
  }
}

/**
 * On Linux a priority is a thread's own, under the number by which the system knows it. Elsewhere the system's own
 * turns have to do: this thread goes on as any other.
 *
 * @param {number} niceness
 */
function standBack(niceness) {
  if (niceness === 0) return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {}
}

standBack(workerData.niceness);
parentPort?.on('message', (/** @type {ThreadTask} */ task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(run(task));
});
