/** Aborts what has no answer after so long. A connection that broke off unnoticed answers nothing for minutes. */
export function timeLimit(ms: number): { readonly signal: AbortSignal; readonly lift: () => void } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no answer', 'TimeoutError')), ms);
  return { signal: late.signal, lift: () => clearTimeout(timer) };
}
