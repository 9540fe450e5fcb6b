import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { OperationFailed } from '../shell/exit.js';

const BUFFERED = 64 * 1024;

/**
 * Text that is written to a file or a stream, never faster than it is taken. A file holds password hashes: it is its
 * owner's alone, and stands under its name only once it is complete.
 */
export class OutputFile {
  private failure: Error | undefined;
  private buffered: string[] = [];
  private size = 0;

  private constructor(
    /** Undefined for a stream of others, which is left open. */
    private readonly file: { readonly path: string; readonly draft: string } | undefined,
    private readonly stream: Writable,
  ) {
    stream.on('error', this.onError);
  }

  static at(path: string): OutputFile {
    const draft = `${path}.partial`;
    return new OutputFile({ path, draft }, createWriteStream(draft, { mode: 0o600 }));
  }

  static on(stdout: Writable): OutputFile {
    return new OutputFile(undefined, stdout);
  }

  private readonly onError = (error: Error): void => {
    this.failure = error;
  };

  async write(text: string): Promise<void> {
    this.buffered.push(text);
    this.size += text.length;
    if (this.size >= BUFFERED) await this.flush();
  }

  async finish(): Promise<void> {
    await this.flush();
    if (this.file === undefined) {
      this.stream.off('error', this.onError);
      return;
    }
    this.stream.end();
    await finished(this.stream).catch(this.onError);
    this.check();
    await rename(this.file.draft, this.file.path);
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    this.stream.off('error', this.onError);
    if (this.file === undefined) return;
    this.stream.on('error', () => undefined);
    this.stream.destroy();
    // a file that is being opened would come into being after it was removed
    if (!this.stream.closed) await new Promise((resolve) => this.stream.once('close', resolve));
    await rm(this.file.draft, { force: true });
  }

  private async flush(): Promise<void> {
    const text = this.buffered.join('');
    this.buffered = [];
    this.size = 0;
    this.check();
    if (!this.stream.write(text)) await this.drained();
    this.check();
  }

  /** A stream that failed is closed and never drains. */
  private async drained(): Promise<void> {
    if (this.stream.destroyed) return;
    const gone = new AbortController();
    const { signal } = gone;
    await Promise.race([
      once(this.stream, 'drain', { signal }),
      once(this.stream, 'close', { signal }),
    ]).catch(this.onError);
    gone.abort();
  }

  private check(): void {
    if (this.failure === undefined) return;
    const name = this.file?.path ?? 'standard output';
    throw new OperationFailed(`cannot write ${name}: ${this.failure.message}`, { cause: this.failure });
  }
}
