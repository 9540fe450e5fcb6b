import { CsvRows } from '../../../domain/imports/formats/csv-rows.js';
import { SourceError } from '../../../domain/imports/formats/source-record.js';
import { OperationFailed } from '../../shell/exit.js';
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

type Column = (typeof COLUMNS)[number];

const DIGITS = /^\d*$/;
const FLAG = /^(?:true|false)?$/;
/** Of no blank, comma or quote: what is not quoted in the file. */
const WORD = /^[^\s,"]*$/;
/** Quoted for a comma, and never for a quote. */
const NAME = /^[^"]*$/;
const NAMES = COLUMNS.filter((column) => column.endsWith('isplayName'));
const FORMS: Readonly<Partial<Record<Column, RegExp>>> = {
  localId: /^[^\s,"]+$/,
  emailVerified: /^(?:true|false)$/,
  createdAt: DIGITS,
  lastLoginAt: DIGITS,
  phoneNumber: /^(?:\+\d+)?$/,
  disabled: FLAG,
  customAttributes: /^(?:|\{[^]*\})$/,
};

/** What the summary says of any such file. */
export const CSV_REMARK =
  'CSV of Firebase does not quote what users write: whoever has line breaks in their name or picture may have written lines of other users. Take JSON.';
const TAKE_JSON = 'export as JSON instead (firebase auth:export users.json --format=json)';

/**
 * Firebase puts quotes around a name with a comma, and neither doubles those in it nor quotes anything else that users
 * write. So a name may move what follows into other columns, where it is an id at a provider, and a line break in it
 * may begin another user. A line counts only if it can be read in one way: as many cells as the first one has, each of
 * the form of its column, and no quotes but around one name. Where a line is too short, what follows may be forged.
 *
 * @throws OperationFailed for a line that ends within a cell, or within its user
 */
export async function* firebaseCsvRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  let expected: number | undefined;
  for await (const { number, bytes } of linesOf(chunks)) {
    const place = { line: number };
    if (bytes === undefined) yield { place, fault: TOO_LARGE };
    else if (bytes.length > 0) {
      const cells = cellsOf(bytes, number);
      // each line ends with a comma
      if (cells?.at(-1) === '') cells.pop();
      if (cells !== undefined && cells.length < (expected ?? FEWEST))
        throw cutOff(
          `line ${number} has ${cells.length} cells where an export of Firebase has ${expected ?? COLUMNS.length}`,
        );
      expected ??= cells && Math.min(cells.length, COLUMNS.length);
      yield { place, ...userOf(cells, expected ?? COLUMNS.length, lenientText(bytes)) };
    }
  }
}

function userOf(
  cells: readonly string[] | undefined,
  expected: number,
  line: string,
): { value: unknown } | { fault: string } {
  if (cells === undefined) return { fault: `the line is not valid CSV: a quote in a name? ${TAKE_JSON}` };
  if (cells.length > expected) {
    return {
      fault: `the line has ${cells.length} cells and others ${expected}: a comma or a quote in a name? ${TAKE_JSON}`,
    };
  }
  const user: Record<string, unknown> = {};
  for (const [index, name] of COLUMNS.entries()) {
    const cell = cells[index] ?? '';
    if (index < cells.length && !formOf(name).test(cell)) {
      return { fault: `${name} is not what Firebase writes: a quote in a name? ${TAKE_JSON}` };
    }
    user[name] = cell;
  }
  if (!isReadInOneWay(user, line)) {
    return { fault: `the line can be read in several ways, since several names are quoted: ${TAKE_JSON}` };
  }
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

function formOf(column: Column): RegExp {
  return FORMS[column] ?? (NAMES.includes(column) ? NAME : WORD);
}

/** With two quoted names, one that begins with a quote may have swallowed what stands between them. */
function isReadInOneWay(user: Readonly<Record<string, unknown>>, line: string): boolean {
  const claims = String(user['customAttributes']);
  const quoted = NAMES.filter((name) => String(user[name]).includes(',')).length;
  const ofClaims = claims === '' ? 0 : 2 + 2 * quotesIn(claims);
  return quoted <= 1 && quotesIn(line) === 2 * quoted + ofClaims;
}

function quotesIn(text: string): number {
  return text.split('"').length - 1;
}

function cellsOf(line: Buffer, number: number): string[] | undefined {
  const rows = new CsvRows(',', lenientText);
  try {
    const [row] = [...rows.write(line), ...rows.end()];
    return row?.cells && [...row.cells];
  } catch (error) {
    throw error instanceof SourceError ? cutOff(`line ${number} ends within a cell`) : error;
  }
}

function cutOff(what: string): OperationFailed {
  return new OperationFailed(
    `${what}: after a line break in a name what follows may be forged; ${TAKE_JSON}`,
  );
}
