/** Has each begin when the one before has ended: many at once keep this process so busy that connections run into time-outs. */
export function inTurn<T>(build: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const built = last.then(build);
    last = built.catch(() => undefined);
    return await built;
  };
}
