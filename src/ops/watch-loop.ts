import { Worker } from 'node:worker_threads';
import type { ProcessKind } from './ops-listener.js';

const LOOKS = 60;

/** Has a thread end this process when its event loop stands still for a minute: it could not do so itself. */
export function watchLoop(processKind: ProcessKind): void {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(turns, 0, 1), 1_000).unref();
  const thread = new Worker(new URL('./loop-watcher.mjs', import.meta.url), {
    workerData: { turns, processKind, looks: LOOKS },
    // nothing of the service's own is loaded there
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
  // without it the process serves all the same
  thread.on('error', () => undefined);
}
