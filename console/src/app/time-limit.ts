interface TimeLimit {
  readonly signal: AbortSignal;
  readonly lift: () => void;
  /** There was a sign of life. */
  readonly restart: () => void;
}

/** Aborts what has no answer after so long. A connection that broke off unnoticed answers nothing for minutes. */
export function timeLimit(ms: number): TimeLimit {
  const late = new AbortController();
  const end = (): void => late.abort(new DOMException('no answer', 'TimeoutError'));
  let timer = setTimeout(end, ms);
  return {
    signal: late.signal,
    lift: () => clearTimeout(timer),
    restart: () => {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    },
  };
}
