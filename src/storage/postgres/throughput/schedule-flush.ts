/**
 * The end of a turn of the event loop: all that has arrived by then has asked what it wants to know, and it can be asked
 * together. What a piece of work adds meanwhile is done in the same sweep, so questions that are gathered into one
 * statement still leave in one packet with the others.
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
