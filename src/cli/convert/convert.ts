import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { convertCommand } from './convert-command.js';
import { auth0 } from './sources/auth0.js';
import { cognito } from './sources/cognito.js';
import { csv } from './sources/csv.js';
import { firebase } from './sources/firebase.js';
import { keycloak } from './sources/keycloak.js';
import { okta } from './sources/okta.js';
import { wordpress } from './sources/wordpress.js';

export const SOURCES = [auth0, keycloak, firebase, okta, cognito, wordpress, csv];

/**
 * `identity convert <source>`: what others export becomes what our bulk import takes. Sources read and translate, one
 * file each; `run-conversion.ts` holds every record against the rules of the import; formats write.
 */
export function convert(terminal: Terminal) {
  const group = new Command('convert')
    .summary('Convert the export of another service into records of the bulk import')
    .description(
      'Files are streamed, also gzipped ones: gigabytes need no more memory than small files. Records that cannot be converted ' +
        'go to a report with their line and the reason, and the exit code is then 1. docs/migrating.md has a page for each ' +
        'source.',
    )
    .addHelpText(
      'after',
      examples(
        'identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson',
        'identity convert keycloak --realm acme-realm.json | identity import -',
      ),
    );
  for (const source of SOURCES) group.addCommand(convertCommand(source, terminal));
  return group;
}
