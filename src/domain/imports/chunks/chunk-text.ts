import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { ReceivedRecord } from '../receive/received-record.js';
import type { RecordFault, RecordOutcome } from '../write/record-outcome.js';

/**
 * How records and outcomes stand in a chunk before they are sealed: lines, packed. Records: line number, a tab, and
 * the JSON text, or `!` and a fault. Outcomes: one JSON object a line.
 */
const pack = promisify(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

const FAST = { level: 1 };
/** Far above what a chunk can hold; a stop for what only looks like one. */
const LARGEST_TEXT = 256 * 1024 * 1024;
const FAULT_MARK = '!';

export async function packRecords(records: readonly ReceivedRecord[]): Promise<Buffer> {
  return await pack(records.map(lineOf).join('\n'), FAST);
}

export async function unpackRecords(packed: Buffer): Promise<ReceivedRecord[]> {
  const text = (await unpack(packed, { maxOutputLength: LARGEST_TEXT })).toString();
  return text === '' ? [] : text.split('\n').map(readLine);
}

export async function packOutcomes(outcomes: readonly RecordOutcome[]): Promise<Buffer> {
  return await pack(outcomes.map((outcome) => JSON.stringify(outcome)).join('\n'), FAST);
}

export async function unpackOutcomes(packed: Buffer): Promise<RecordOutcome[]> {
  const text = (await unpack(packed, { maxOutputLength: LARGEST_TEXT })).toString();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as RecordOutcome);
}

/** A line break can only stand between the tokens of JSON, where a space does as well. */
function lineOf({ line, json, fault }: ReceivedRecord): string {
  if (fault !== undefined) return `${line}\t${FAULT_MARK}${JSON.stringify(fault)}`;
  const text = json ?? '';
  return `${line}\t${text.includes('\n') ? text.replaceAll('\n', ' ') : text}`;
}

function readLine(text: string): ReceivedRecord {
  const tab = text.indexOf('\t');
  const line = Number(text.slice(0, tab));
  if (text.charAt(tab + 1) === FAULT_MARK) {
    return { line, fault: JSON.parse(text.slice(tab + 2)) as RecordFault };
  }
  return { line, json: text.slice(tab + 1) };
}
