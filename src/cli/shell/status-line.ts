import type { Terminal } from './terminal.js';

const CLEAR = '\r\u001b[2K';

/**
 * What goes on, on standard error: one line that changes where a person looks on, else a line for each step, so that a
 * log stays readable.
 */
export class StatusLine {
  private last = '';

  constructor(private readonly stderr: Terminal['stderr']) {}

  /** @param step what a log tells apart: the same step is told once */
  show(text: string, step: string): void {
    if (this.stderr.isTTY === true) {
      this.stderr.write(CLEAR + text);
      this.last = text;
    } else if (step !== this.last) {
      this.stderr.write(`${text}\n`);
      this.last = step;
    }
  }

  /** A sentence of its own, above what goes on. */
  say(text: string): void {
    this.clear();
    this.stderr.write(`${text}\n`);
  }

  clear(): void {
    if (this.stderr.isTTY === true && this.last !== '') this.stderr.write(CLEAR);
    this.last = '';
  }
}
