/**
 * Runs work at the end of a turn of the event loop, when everything that arrived in that turn has issued its statements, so that they can
 * be sent together. Work that is added meanwhile is run in the same pass, so that batched statements are sent in the same packet.
 */
let gathered: (() => void)[] = [];
let due = false;

export function scheduleFlush(work: () => void): void {
  gathered.push(work);
  if (due) return;
  due = true;
  setImmediate(sweep);
}

function sweep(): void {
  try {
    // sees what is pushed on the way
    for (const work of gathered) work();
  } finally {
    gathered = [];
    due = false;
  }
}
