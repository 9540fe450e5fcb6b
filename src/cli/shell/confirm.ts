import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { UsageError } from './exit.js';
import type { Terminal } from './terminal.js';

/** Whether somebody is there to answer. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on standard error; only `y` or `yes` means yes, and an input that ends means no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  terminal.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const ended = new AbortController();
  try {
    const [answer] = (await Promise.race([
      once(lines, 'line', { signal: ended.signal }),
      once(lines, 'close', { signal: ended.signal }),
    ])) as [string?];
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    ended.abort();
    lines.close();
  }
}

/** @param what as in `removing a user` @throws UsageError without `--yes` */
export function requireYes(yes: boolean | undefined, what: string): void {
  if (!yes) throw new UsageError(`${what} cannot be undone: confirm with --yes`);
}
