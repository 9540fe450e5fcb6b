// When `npm start` and `npm test` are asked to end: Ctrl-C, SIGTERM, a closed terminal, or a failure of their own.
// The first request aborts `signal`; a second one means hurry.

/** npm hands a Ctrl-C on that the terminal has sent us already: two within this time are one. */
const SAME_REQUEST_MS = 700;

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
  return {
    /** Aborts with the first request: waits and commands that are under way end. */
    signal: controller.signal,
    /** Resolves with `{ signal }` or `{ error }`. */
    requested,
    fail: (error) => ask({ error }),
    onHurry: (action) => (hurry = action),
  };
}
