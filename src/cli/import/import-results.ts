import { Command, Option } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { outputOptions } from '../files/output-file.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { RESULTS_FORMATS, saveResults } from './print-import.js';

export function importResults(terminal: Terminal) {
  const command = new Command('results')
    .description('Download the outcome of each record of an import')
    .argument('<id>', 'id of the import')
    .option(
      '--outcome <outcomes>',
      'any of created, updated, skipped, failed, separated by commas (default all)',
    )
    .addOption(
      new Option('--format <format>', 'format of the download')
        .choices(RESULTS_FORMATS)
        .default('ndjson' as const),
    )
    .option('--output <file>', 'where to write; - is standard output', '-');
  return withOptions(withOptions(command, outputOptions), connectionOptions)
    .addHelpText(
      'after',
      examples(
        'identity import results 8Jq2vZ1xT0aB4cD6eF8gHi --outcome failed --format csv --output failed.csv',
      ),
    )
    .action(async (id, options) => {
      const client = await connect(options, terminal);
      const { outcome, format, output: path, force: replace = false } = options;
      await saveResults(client, id, { format, outcome }, { path, replace }, terminal);
    });
}
