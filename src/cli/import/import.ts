import type { CommandGroup } from '../shell/command.js';
import { importChanges } from './import-changes.js';
import { importFile } from './import-file.js';
import { importResults } from './import-results.js';
import { importRetry } from './import-retry.js';
import { importStatus } from './import-status.js';

/**
 * `identity import`: files of users become jobs of the service, which go on whatever becomes of this process. The first
 * argument is a command of this group, or else the file (`./status` for a file of such a name).
 */
export const importGroup: CommandGroup = {
  name: 'import',
  summary: 'Import a file of users, and look after imports',
  description:
    'Sends the file while it is read, then shows how the import goes on. The import is a job of the service: ' +
    'ending this program does not end it. The exit code is 1 if the import or one of its records failed.',
  commands: [importStatus, ...importChanges, importRetry, importResults],
  otherwise: importFile,
  examples: [
    'identity import users.ndjson',
    'identity import users.csv.gz --mode upsert --dry-run',
    'identity convert keycloak --realm acme-realm.json | identity import - --notify deferred',
    'identity import status',
  ],
};
