import type { Writable } from 'node:stream';
import { OutputFile } from '../../files/output-file.js';
import type { Replacing } from '../../files/private-draft.js';
import { printable } from '../../shell/printable.js';
import type { Place } from '../reading/source-record.js';

/** A record that did not become a user. No value of it but its id, which one needs to find it. */
interface Reject extends Place {
  readonly id?: string;
  readonly outcome: 'rejected' | 'skipped';
  readonly reason: string;
}

const MOST_SHOWN = 20;

/** Rejected records: as NDJSON in a file that is created with the first one, or some as text for people. */
export class RejectsReport {
  private file: OutputFile | undefined;
  private shown = 0;

  constructor(
    private readonly path: string | undefined,
    private readonly replacing: Replacing,
    private readonly stderr: Writable,
  ) {}

  async add(reject: Reject): Promise<void> {
    if (this.path !== undefined) {
      this.file ??= await OutputFile.at(this.path, this.replacing);
      await this.file.write(`${JSON.stringify(reject)}\n`);
      return;
    }
    this.shown += 1;
    if (this.shown > MOST_SHOWN + 1) return;
    const { file, line, outcome, reason } = reject;
    const place = file === undefined ? `line ${line}` : `${file}, line ${line}`;
    this.stderr.write(
      this.shown > MOST_SHOWN
        ? '… (--rejects FILE writes them all)\n'
        : `${printable(`${place}: ${outcome}: ${reason}`)}\n`,
    );
  }

  /** The file's name, if there was anything to write. */
  async finish(): Promise<string | undefined> {
    if (this.file === undefined) return undefined;
    await this.file.finish();
    return this.path;
  }

  async abandon(): Promise<void> {
    await this.file?.abandon();
  }
}
