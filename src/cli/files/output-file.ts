import { once } from 'node:events';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Command } from '@commander-js/extra-typings';
import { OperationFailed } from '../shell/exit.js';
import { PrivateDraft, requireFree, type Replacing } from './private-draft.js';
import { reasonOf } from './reason-of.js';

const BUFFERED = 64 * 1024;

/** Of every command that writes a file. */
export const outputOptions = new Command().option('--force', 'replaces existing files');

/**
 * Before work that takes long, for a file that is written after it.
 *
 * @throws OperationFailed
 */
export async function requireWritable(file: string, replacing: Replacing): Promise<void> {
  await requireFree(file, replacing).catch((error: unknown) => {
    throw writeFailure(file, error);
  });
}

/**
 * Text that is written to a file or a stream, never faster than it is taken. A file holds password hashes: it is its
 * owner's alone, stands under its name only once it is complete, and takes nobody's place unasked (PrivateDraft).
 */
export class OutputFile {
  private failure: Error | undefined;
  private buffered: string[] = [];
  private size = 0;

  private constructor(
    /** Undefined for a stream of others, which is left open. */
    private readonly file:
      { readonly path: string; readonly draft: PrivateDraft; readonly replacing: Replacing } | undefined,
    private readonly stream: Writable,
  ) {
    stream.on('error', this.onError);
  }

  /** @throws OperationFailed */
  static async at(file: string, replacing: Replacing): Promise<OutputFile> {
    const name = `${path.basename(file)}.partial`;
    const draft = await PrivateDraft.create(file, name, replacing).catch((error: unknown) => {
      throw writeFailure(file, error);
    });
    const stream = draft.handle.createWriteStream({ flush: true });
    return new OutputFile({ path: file, draft, replacing }, stream);
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
    const { path: name, draft, replacing } = this.file;
    await draft.publish(replacing).catch((error: unknown) => {
      throw writeFailure(name, error);
    });
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    this.stream.off('error', this.onError);
    if (this.file === undefined) return;
    this.stream.on('error', () => undefined);
    this.stream.destroy();
    if (!this.stream.closed) await new Promise((resolve) => this.stream.once('close', resolve));
    await this.file.draft.remove();
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
    throw writeFailure(this.file?.path ?? 'standard output', this.failure);
  }
}

function writeFailure(name: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return new OperationFailed(`cannot write ${name}: ${reasonOf(error)}`, { cause: error });
}
