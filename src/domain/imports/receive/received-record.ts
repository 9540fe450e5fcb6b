import { PASSES, type ImportPass } from '../records/passes.js';
import type { RecordFault } from '../write/record-outcome.js';

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
/** What is written one by one: few enough that nothing is held for long. */
const COST_OF_ITEM = 10;
const LARGEST_CHUNK_CHARACTERS = 2_000_000;
/** A password in clear costs a hashing of tens of milliseconds: few enough to be done within a shutdown's grace. */
const COST_OF_PLAIN_PASSWORD = 10;

/** Gathers records until they make a chunk: by number, size and the work they will be. */
export class ChunkGatherer {
  private records: ReceivedRecord[] = [];
  private cost = 0;
  private characters = 0;

  constructor(readonly pass: ImportPass) {}

  get isEmpty(): boolean {
    return this.records.length === 0;
  }

  /** @returns the chunk that this record completes, if it does */
  add(record: ReceivedRecord): readonly ReceivedRecord[] | undefined {
    this.records.push(record);
    const text = record.json ?? '';
    this.characters += text.length;
    this.cost += this.costOf(text);
    return this.cost >= LARGEST_CHUNK || this.characters >= LARGEST_CHUNK_CHARACTERS
      ? this.take()
      : undefined;
  }

  private costOf(text: string): number {
    if (this.pass === PASSES.users) return /"password"\s*:/.test(text) ? COST_OF_PLAIN_PASSWORD : 1;
    return this.pass === PASSES.metadata ? 1 : COST_OF_ITEM;
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
