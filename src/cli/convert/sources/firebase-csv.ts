import { CsvRows } from '../../../domain/imports/formats/csv-rows.js';
import { SourceError } from '../../../domain/imports/formats/source-record.js';
import { lenientText } from '../reading/csv-records.js';
import { linesOf } from '../reading/lines.js';
import { TOO_LARGE, type SourceRecord } from '../reading/source-record.js';

/** Columns of `auth:export --format=csv`, which has no header; four for each social provider. */
const PROVIDERS = ['google', 'facebook', 'twitter', 'github'];
const COLUMNS = [
  'localId',
  'email',
  'emailVerified',
  'passwordHash',
  'salt',
  'displayName',
  'photoUrl',
  ...PROVIDERS.flatMap((provider) =>
    ['rawId', 'email', 'displayName', 'photoUrl'].map((field) => `${provider}.${field}`),
  ),
  'createdAt',
  'lastLoginAt',
  'phoneNumber',
  'disabled',
  'customAttributes',
] as const;
/** Older versions had fewer at the end. */
const FEWEST = COLUMNS.indexOf('createdAt');

/**
 * Firebase quotes a display name only for a comma in it, so that a quote in one would swallow the users after it were
 * the file read as a whole. Each line is read for itself: what cannot be read costs its own user only.
 */
export async function* firebaseCsvRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  for await (const { number, bytes } of linesOf(chunks)) {
    const place = { line: number };
    if (bytes === undefined) yield { place, fault: TOO_LARGE };
    else if (bytes.length > 0) yield { place, ...userOf(bytes) };
  }
}

function userOf(line: Buffer): { value: unknown } | { fault: string } {
  const cells = cellsOf(line);
  if (cells === undefined) {
    return { fault: 'the line is not valid CSV: a quote in a name? Export as JSON instead' };
  }
  // each line ends with a comma
  while (cells.length > COLUMNS.length && cells.at(-1) === '') cells.pop();
  if (cells.length < FEWEST || cells.length > COLUMNS.length) {
    return { fault: `the line has ${cells.length} cells where an export of Firebase has ${COLUMNS.length}` };
  }
  const user: Record<string, unknown> = {};
  for (const [index, name] of COLUMNS.entries()) user[name] = cells[index] ?? '';
  user['providerUserInfo'] = PROVIDERS.filter((provider) => user[`${provider}.rawId`] !== '').map(
    (provider) => ({
      providerId: `${provider}.com`,
      rawId: user[`${provider}.rawId`],
      email: user[`${provider}.email`],
      displayName: user[`${provider}.displayName`],
    }),
  );
  return { value: user };
}

function cellsOf(line: Buffer): string[] | undefined {
  const rows = new CsvRows(',', lenientText);
  try {
    const [row] = [...rows.write(line), ...rows.end()];
    return row?.cells && [...row.cells];
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
