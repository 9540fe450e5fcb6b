import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { importPath, type ImportJob } from '../api/imports.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { followImport } from './follow-import.js';
import { printImport } from './print-import.js';
import { Progress } from './progress.js';

/** `identity import pause|resume|cancel|undo|notify <id>`: one call each, and the import as it then is. */
export function importChanges(terminal: Terminal) {
  return [
    change('pause', 'Pause an import; chunks in progress are finished first', terminal),
    change('resume', 'Resume a paused import', terminal),
    change('cancel', 'Cancel an import; users that it has created stay', terminal),
    change('undo', 'Remove the users that an import created, unless they have signed in since', terminal),
    change('notify', 'Send the mails that an import has deferred', terminal),
  ];
}

function change(name: string, meaning: string, terminal: Terminal) {
  const command = new Command(name)
    .description(meaning)
    .argument('<id>', 'id of the import')
    .option('--watch', 'follows the import until it no longer changes');
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples(`identity import ${name} 8Jq2vZ1xT0aB4cD6eF8gHi`))
    .action(async (id, options) => {
      const client = await connect(options, terminal);
      let job = await client.post<ImportJob>(importPath(id, `_${name}`));
      if (options.watch) job = await followImport(client, job, new Progress(terminal.stderr), terminal);
      printImport(job, options.json, terminal);
    });
}
