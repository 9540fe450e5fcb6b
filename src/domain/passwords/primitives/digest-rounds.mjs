// @ts-check
import { createHash, hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/**
 * The long loops of the crypt family, for which node:crypto has no call: a thread runs them, because a thousand
 * rounds and more would hold the event loop. Plain JavaScript, because a thread starts from a file and the tests run
 * from the sources. `digest-threads.ts` starts it and says what each task means.
 */

/** @import { RepeatTask, ChainTask, AlternateTask, DigestTask } from './digest-threads.js' */

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

/** @param {DigestTask} task */
function run(task) {
  if (task.kind === 'repeat') return repeat(task);
  return task.kind === 'chain' ? chain(task) : alternate(task);
}

parentPort?.on('message', (/** @type {DigestTask} */ task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(run(task));
});
