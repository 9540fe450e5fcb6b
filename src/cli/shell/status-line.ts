import type { Terminal } from './terminal.js';

const CLEAR = '\r\u001b[2K';

/**
 * Status on standard error: one changing line on a terminal, else a line for each step, so that a
 * log stays readable.
 */
export class StatusLine {
  private last = '';

  constructor(private readonly stderr: Terminal['stderr']) {}

  /** @param step in a log, the same step is printed once */
  show(text: string, step: string): void {
    if (this.stderr.isTTY === true) {
      this.stderr.write(CLEAR + text);
      this.last = text;
    } else if (step !== this.last) {
      this.stderr.write(`${text}\n`);
      this.last = step;
    }
  }

  /** A separate line, above the status. */
  say(text: string): void {
    this.clear();
    this.stderr.write(`${text}\n`);
  }

  clear(): void {
    if (this.stderr.isTTY === true && this.last !== '') this.stderr.write(CLEAR);
    this.last = '';
  }
}
