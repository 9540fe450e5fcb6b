import { adminGroup } from './admin/admin.js';
import { convert } from './convert/convert.js';
import { events } from './events/events.js';
import { importGroup } from './import/import.js';
import { keysGroup } from './keys/keys.js';
import type { CommandGroup } from './shell/command.js';
import { usersGroup } from './users/users.js';

/** `identity`: the command line for people and scripts. Exit codes: `shell/exit.ts`. */
export const identityCommands: CommandGroup = {
  name: 'identity',
  summary: 'Command line of the identity service',
  commands: [convert, importGroup, usersGroup, events, keysGroup, adminGroup],
  examples: [
    'identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson',
    'identity import users.ndjson',
    'identity users list --state locked',
    'identity events --since 1h',
  ],
};
