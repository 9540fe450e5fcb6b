import { connect, connectionOptions } from '../api/connection.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { outputOptions } from '../files/output-file.js';
import { choice, text } from '../shell/options.js';
import { type ResultsFormat, saveResults } from './tell-import.js';

export const importResults = command({
  name: 'results',
  summary: 'Download what became of each record of an import',
  parameters: [{ name: 'id', meaning: 'of the import', required: true }],
  options: {
    outcome: text('OUTCOMES', 'some of created, updated, skipped, failed, with commas between (default all)'),
    format: choice(['ndjson', 'csv'], 'default ndjson'),
    output: text('FILE', 'where to write; - is standard output (default -)'),
    ...outputOptions,
    ...connectionOptions,
  },
  examples: [
    'identity import results 8Jq2vZ1xT0aB4cD6eF8gHi --outcome failed --format csv --output failed.csv',
  ],
  async run({ arguments: [id = ''], options }, terminal) {
    const client = await connect(options, terminal);
    const { outcome, output: path = '-', force: replace } = options;
    const format = (options.format ?? 'ndjson') as ResultsFormat;
    await saveResults(client, id, { format, outcome }, { path, replace }, terminal);
    return EXIT.ok;
  },
});
