import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { importPath, type ImportJob } from '../api/imports.js';
import { requireWritable } from '../files/output-file.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { followAndSave, sendAndFollow, uploadOptions } from './import-file.js';
import { requireRetryMeant } from './mails-meant.js';
import { printImport } from './print-import.js';

export function importRetry(terminal: Terminal) {
  const command = new Command('retry')
    .summary('Import the failed records of an import again')
    .description(
      'Without a file, imports the same records again, once the cause is fixed. With a file, imports its corrected records, ' +
        'with the options of this command.',
    )
    .argument('<id>', 'id of the import')
    .argument('[file]', 'the corrected records; - is standard input');
  return withOptions(withOptions(command, uploadOptions), connectionOptions)
    .addHelpText(
      'after',
      examples(
        'identity import retry 8Jq2vZ1xT0aB4cD6eF8gHi',
        'identity import retry 8Jq2vZ1xT0aB4cD6eF8gHi fixed.ndjson',
      ),
    )
    .action(async (id, file, options) => {
      const client = await connect(options, terminal);
      const path = importPath(id, '_retry');
      if (file !== undefined) {
        terminal.exitCode = await sendAndFollow(client, path, file, options, terminal);
        return;
      }
      const { results, force: replace = false, detach, yes } = options;
      if (!yes) await requireRetryMeant(await client.get<ImportJob>(importPath(id)), terminal);
      if (results !== undefined && !detach) await requireWritable(results, { replace });
      const job = await client.post<ImportJob>(path);
      if (detach) printImport(job, options.json, terminal);
      else terminal.exitCode = await followAndSave(client, job, '-', options, terminal);
    });
}
