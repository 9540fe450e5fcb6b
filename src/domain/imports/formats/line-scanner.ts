import { Gathered } from './source-record.js';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Of its first byte in the (unpacked) file. */
  readonly offset: number;
  /** Without the line feed; undefined when longer than a record may be. */
  readonly bytes: Buffer | undefined;
}

const LINE_FEED = 0x0a;

/** The lines of a file that comes in pieces. Of one that is too long only its length is ever held. */
export class LineScanner {
  private readonly held = new Gathered();
  private number = 0;
  private offset = 0;

  write(piece: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (;;) {
      const at = piece.indexOf(LINE_FEED, from);
      if (at < 0) break;
      this.held.add(piece.subarray(from, at));
      lines.push(this.line());
      from = at + 1;
    }
    // a copy: the rest of the piece must not be kept for the sake of its end
    this.held.add(Buffer.from(piece.subarray(from)));
    return lines;
  }

  /** The last line needs no line feed. */
  end(): Line | undefined {
    return this.held.length === 0 ? undefined : this.line();
  }

  private line(): Line {
    const { held, offset } = this;
    this.number += 1;
    this.offset += held.length + 1;
    const { tooLong } = held;
    const bytes = held.take();
    return { number: this.number, offset, bytes: tooLong ? undefined : bytes };
  }
}
