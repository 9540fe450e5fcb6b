import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { IMPORTS } from '../api/imports.js';
import { suggestionOf } from '../shell/did-you-mean.js';
import { UsageError } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { importChanges } from './import-changes.js';
import { sendAndFollow, uploadOptions } from './import-file.js';
import { importResults } from './import-results.js';
import { importRetry } from './import-retry.js';
import { importStatus } from './import-status.js';

/**
 * `identity import`: files of users become jobs of the service, which continue if this process ends. The first
 * argument is a command of this group, or else the file (`./status` for a file of such a name).
 */
export function importGroup(terminal: Terminal) {
  const command = new Command('import')
    .summary('Import a file of users, and manage imports')
    .description(
      'Uploads the file, then shows the progress of the import. The import is a job of the service: ' +
        'ending this program does not end it. The exit code is 1 if the import or one of its records failed.',
    )
    .usage('<file> [options]\n       identity import <command> [options]')
    .argument(
      '[file]',
      'NDJSON, CSV or dataOrgs JSON, optionally packed with gzip or zstd; - is standard input',
    );
  const group = withOptions(withOptions(command, uploadOptions), connectionOptions)
    .helpCommand(true)
    .addCommand(importStatus(terminal));
  for (const change of importChanges(terminal)) group.addCommand(change);
  return group
    .addCommand(importRetry(terminal))
    .addCommand(importResults(terminal))
    .addHelpText(
      'after',
      examples(
        'identity import users.ndjson',
        'identity import users.csv.gz --mode upsert --dry-run',
        'identity convert keycloak --realm acme-realm.json | identity import - --notify deferred',
        'identity import status',
      ),
    )
    .hook('preSubcommand', (own, subcommand) => {
      // they would be lost: the command reads only what comes after it
      if (Object.keys(own.opts()).length > 0) own.error(`put options of "${subcommand.name()}" after it`);
    })
    .action(async (file, options) => {
      if (file === undefined) return group.help({ error: true });
      const names = group.commands.map((one) => one.name());
      const meant = /^[a-z][a-z-]*$/.test(file) && suggestionOf(file, names);
      if (meant) throw new UsageError(`unknown command ${meant}; for a file of that name, write ./<file>`);
      const client = await connect(options, terminal);
      terminal.exitCode = await sendAndFollow(client, IMPORTS, file, options, terminal);
    });
}
