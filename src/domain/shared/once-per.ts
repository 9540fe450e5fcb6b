/** Passes a call on and swallows those that follow within `windowMs`: an outage is worth a line, not thousands. */
export function oncePer<Args extends unknown[]>(
  windowMs: number,
  call: (...args: Args) => void,
  now: () => number = () => performance.now(),
): (...args: Args) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (now() < quietUntil) return;
    quietUntil = now() + windowMs;
    call(...args);
  };
}
