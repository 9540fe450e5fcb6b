// A thread beside the one that does the work. Each second it looks whether that one still turns; when it has not for a
// minute, it ends the process. It counts its own looks, so that a machine that slept is not taken for a loop that hangs.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** @type {{ turns: Int32Array, processKind: string, looks: number }} */
const { turns, processKind, looks } = workerData;
let seen = -1;
let same = 0;

setInterval(() => {
  const now = Atomics.load(turns, 0);
  same = now === seen ? same + 1 : 0;
  seen = now;
  if (same < looks) return;
  const line = { level: 50, time: Date.now(), process: processKind, pid: process.pid };
  writeSync(
    2,
    `${JSON.stringify({ ...line, msg: 'the event loop has stood still for a minute: ending' })}\n`,
  );
  // an exit of the process would wait for the loop
  process.kill(process.pid, 'SIGKILL');
}, 1_000);
