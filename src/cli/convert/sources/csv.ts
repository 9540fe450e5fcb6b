import { readFile } from 'node:fs/promises';
import { Command } from '@commander-js/extra-typings';
import { readFailure } from '../../files/bytes-of.js';
import { OperationFailed, UsageError } from '../../shell/exit.js';
import { csvRecords, type CsvRow } from '../reading/csv-records.js';
import { source } from '../source.js';
import { humanOfRow, readMapping, type Mapping } from './csv-mapping.js';

export const csv = source({
  name: 'csv',
  summary: 'Convert any CSV file by a mapping of its columns',
  description:
    'The mapping is JSON: {"columns": {"mail": "email.email", "Full name": [{"field": "profile.firstName", "transforms": ' +
    '[{"split": " ", "part": "first"}]}, …]}, "constants": {"email.isEmailVerified": true}, "delimiter": ";"}. Fields are ' +
    'those of a record of the import with dots between (docs/migrating.md lists them). Transforms run in the given order: ' +
    'trim, lower, upper, bool, date, split. Empty cells count as absent; a column that the mapping does not name is ' +
    'ignored and listed in the summary.',
  options: new Command()
    .requiredOption('--users <file>', 'the CSV file with a header row; - is standard input')
    .requiredOption('--mapping <file>', 'the mapping')
    .option('--delimiter <character>', 'between the cells; overrides the mapping (default ,)'),
  examples: ['identity convert csv --users people.csv --mapping mapping.json --output users.ndjson'],

  namesOrganizations: true,

  async open(given, open) {
    const content = await readFile(given.mapping, 'utf8').catch((error: unknown) => {
      throw readFailure(given.mapping, error);
    });
    const mapping = readMapping(content);
    const delimiter = given.delimiter ?? mapping.delimiter;
    if (delimiter !== undefined && delimiter.length !== 1)
      throw new UsageError('the delimiter is one character');
    let unmapped: readonly string[] | undefined;
    return {
      strict: true,
      givesUserNames: true,
      records: () => csvRecords(open(given.users), { delimiter }),
      convert: (value, note) => {
        const row = value as CsvRow;
        unmapped ??= unmappedColumns(mapping, row);
        for (const name of unmapped) note(`column "${name}" is not mapped`);
        return humanOfRow(mapping, row);
      },
    };
  },
});

/** A column that the mapping names and the file lacks is a typing error, which would lose its data in silence. */
function unmappedColumns(mapping: Mapping, row: CsvRow): readonly string[] {
  const missing = [...mapping.columns.keys()].find((name) => !(name in row));
  if (missing !== undefined) throw new OperationFailed(`the CSV header lacks the mapped column "${missing}"`);
  return Object.keys(row).filter((name) => !mapping.columns.has(name));
}
