import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { importPath, IMPORTS, type ImportJob } from '../api/imports.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { followImport } from './follow-import.js';
import { exitCodeOf, printImport } from './print-import.js';
import { Progress } from './progress.js';

interface List {
  readonly details: { readonly totalResult?: string };
  readonly result?: readonly ImportJob[];
}

export function importStatus(terminal: Terminal) {
  const command = new Command('status')
    .description('Show an import, or the latest ones')
    .argument('[id]', 'id of the import; without it, the latest are listed')
    .option('--watch', 'follows the import to its end')
    .option('--state <states>', 'lists only imports in these states, separated by commas')
    .option('--limit <n>', 'number of imports to list', '20');
  return withOptions(command, connectionOptions)
    .addHelpText(
      'after',
      examples(
        'identity import status',
        'identity import status 8Jq2… --watch',
        'identity import status --state running,paused',
      ),
    )
    .action(async (id, options) => {
      const client = await connect(options, terminal);
      if (id === undefined) {
        const { state, limit } = options;
        const list = await client.get<List>(IMPORTS, { state, limit });
        const jobs = list.result ?? [];
        if (options.json) terminal.stdout.write(`${JSON.stringify(jobs)}\n`);
        else if (jobs.length === 0) terminal.stdout.write('There are no imports.\n');
        else for (const job of jobs) printImport(job, false, terminal);
        return;
      }
      let job = await client.get<ImportJob>(importPath(id));
      if (options.watch) job = await followImport(client, job, new Progress(terminal.stderr), terminal);
      printImport(job, options.json, terminal);
      terminal.exitCode = exitCodeOf(job);
    });
}
