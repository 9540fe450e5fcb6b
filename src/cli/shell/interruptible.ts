import { Interrupted } from './exit.js';
import type { Terminal } from './terminal.js';

/**
 * Runs work that Ctrl-C interrupts by aborting its signal. Whatever the work ends with then, it was interrupted, and
 * `told` says what happens to what it had begun.
 */
export async function interruptible<Result>(
  terminal: Terminal,
  told: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const pressed = new AbortController();
  const forget = terminal.onInterrupt(() => pressed.abort());
  try {
    return await work(pressed.signal);
  } catch (error) {
    if (pressed.signal.aborted) throw new Interrupted(told);
    throw error;
  } finally {
    forget();
  }
}
