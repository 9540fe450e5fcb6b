import { connect, connectionOptions } from '../api/connection.js';
import { type ImportJob, importPath, IMPORTS } from '../api/imports.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { flag, text } from '../shell/options.js';
import { followImport } from './follow-import.js';
import { Progress } from './progress.js';
import { exitCodeOf, tellImport } from './tell-import.js';

interface List {
  readonly details: { readonly totalResult?: string };
  readonly result?: readonly ImportJob[];
}

export const importStatus = command({
  name: 'status',
  summary: 'Show an import, or the latest ones',
  parameters: [{ name: 'id', meaning: 'of the import; without it, the latest are listed', required: false }],
  options: {
    watch: flag('follows the import to its end'),
    state: text('STATES', 'lists only those in some states, with commas between'),
    limit: text('N', 'how many are listed (default 20)'),
    ...connectionOptions,
  },
  examples: [
    'identity import status',
    'identity import status 8Jq2… --watch',
    'identity import status --state running,paused',
  ],
  async run({ arguments: [id], options }, terminal) {
    const client = await connect(options, terminal);
    if (id === undefined) {
      const { state, limit = '20' } = options;
      const list = await client.get<List>(IMPORTS, { state, limit });
      const jobs = list.result ?? [];
      if (options.json) terminal.stdout.write(`${JSON.stringify(jobs)}\n`);
      else if (jobs.length === 0) terminal.stdout.write('There are no imports.\n');
      else for (const job of jobs) tellImport(job, false, terminal);
      return EXIT.ok;
    }
    let job = await client.get<ImportJob>(importPath(id));
    if (options.watch) job = await followImport(client, job, new Progress(terminal.stderr), terminal);
    tellImport(job, options.json, terminal);
    return exitCodeOf(job);
  },
});
