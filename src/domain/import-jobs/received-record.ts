import type { RecordFault } from './record-outcome.js';

/**
 * One record on its way from the file to its chunk: the JSON text of a flat record (import-record.ts says what may
 * stand in it), or the fault that reading the file found, which then is its outcome. A million of them pass
 * through, so the text of a line that is JSON already is taken as it is.
 */
export interface ReceivedRecord {
  /** Of the file, from 1; position of the record where the format has no lines. */
  readonly line: number;
  readonly json?: string;
  readonly fault?: RecordFault;
}

const LARGEST_CHUNK = 1_000;
const LARGEST_CHUNK_CHARACTERS = 2_000_000;
/** A password in clear costs a hashing of tens of milliseconds: few enough to be done within a shutdown's grace. */
const COST_OF_PLAIN_PASSWORD = 10;

/** Gathers records until they make a chunk: by number, size and the work they will be. */
export class ChunkGatherer {
  private records: ReceivedRecord[] = [];
  private cost = 0;
  private characters = 0;

  get isEmpty(): boolean {
    return this.records.length === 0;
  }

  /** @returns the chunk that this record completes, if it does */
  add(record: ReceivedRecord): readonly ReceivedRecord[] | undefined {
    this.records.push(record);
    const text = record.json ?? '';
    this.characters += text.length;
    this.cost += /"password"\s*:/.test(text) ? COST_OF_PLAIN_PASSWORD : 1;
    return this.cost >= LARGEST_CHUNK || this.characters >= LARGEST_CHUNK_CHARACTERS
      ? this.take()
      : undefined;
  }

  /** What was gathered so far; also at the end of the file. */
  take(): readonly ReceivedRecord[] {
    const taken = this.records;
    this.records = [];
    this.cost = 0;
    this.characters = 0;
    return taken;
  }
}
