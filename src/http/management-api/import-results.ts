import type { RecordOutcome } from '../../domain/imports/write/record-outcome.js';
import { inLargePieces } from '../shared/large-pieces.js';

/** What becomes of a record, as it is downloaded; the order is that of the CSV columns. */
const COLUMNS = [
  'line',
  'outcome',
  'userId',
  'givenId',
  'orgId',
  'code',
  'path',
  'message',
  'weak',
  'undone',
  'type',
] as const satisfies readonly (keyof RecordOutcome)[];

/** An object a line. */
export function ndjsonOf(outcomes: AsyncIterable<RecordOutcome>): AsyncGenerator<string> {
  return inLargePieces(
    (async function* () {
      for await (const outcome of outcomes) yield line(outcome);
    })(),
  );
}

/** RFC 4180, with a header row. */
export function csvOf(outcomes: AsyncIterable<RecordOutcome>): AsyncGenerator<string> {
  return inLargePieces(
    (async function* () {
      yield `${COLUMNS.join(',')}\r\n`;
      for await (const outcome of outcomes) yield row(outcome);
    })(),
  );
}

function line(outcome: RecordOutcome): string {
  const members = COLUMNS.map((column) => [column, outcome[column]] as const);
  return `${JSON.stringify(Object.fromEntries(members.filter(([, value]) => value !== undefined)))}\n`;
}

function row(outcome: RecordOutcome): string {
  const cells = COLUMNS.map((column) => cell(String(outcome[column] ?? '')));
  return `${cells.join(',')}\r\n`;
}

/** What a spreadsheet would take for a formula is text there (S161). */
function cell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
