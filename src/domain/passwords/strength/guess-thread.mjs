// @ts-check
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';

/**
 * Estimates how many guesses find a password, on a thread: the lists take some 40 MB and a third of a second to load, and a
 * password of many repeated signs takes half a second to look at. Plain JavaScript, because a thread starts from a file and
 * the tests run from the sources. `password-strength.ts` starts it.
 */

/** @import { GuessTask } from './password-strength.js' */

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
});

parentPort?.on('message', (/** @type {GuessTask} */ { texts, words }) => {
  const guesses = texts.map((text) => estimator.check(text, [...words]).guesses);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(Math.min(...guesses));
});
