// When `npm start` and `npm test` are asked to end: Ctrl-C, SIGTERM, a closed terminal, the end of the npm that started
// them, or a failure of their own.
// The first request aborts `signal`; a second one means hurry.

/** npm hands a Ctrl-C on that the terminal has sent us already: two within this time are one. */
const SAME_REQUEST_MS = 700;
/** A shell between npm and us ends by a SIGTERM and does not pass it on; a SIGKILL nobody passes on. */
const LOOK_FOR_NPM_MS = 500;

export function stopRequests() {
  const controller = new AbortController();
  let finish;
  const requested = new Promise((resolve) => (finish = resolve));
  let hurry = () => {};
  let first;

  const ask = (reason) => {
    if (first === undefined) {
      first = Date.now();
      finish(reason);
      controller.abort();
    } else if (Date.now() - first > SAME_REQUEST_MS) {
      hurry();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ask({ signal }));
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && ask({ signal: 'SIGTERM' }), LOOK_FOR_NPM_MS).unref();
  }
  return {
    /** Aborts with the first request: waits and commands that are under way end. */
    signal: controller.signal,
    /** Resolves with `{ signal }` or `{ error }`. */
    requested,
    fail: (error) => ask({ error }),
    onHurry: (action) => (hurry = action),
  };
}
