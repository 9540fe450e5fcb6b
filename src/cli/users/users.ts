import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { userChanges } from './user-changes.js';
import { userGet } from './user-get.js';
import { userIdentities } from './user-identities.js';
import { userList } from './user-list.js';
import { userRemove } from './user-remove.js';

/** `identity users`: looks at the users of an organization, and changes what people on call have to change. */
export function usersGroup(terminal: Terminal) {
  const group = new Command('users')
    .summary('Show, lock, deactivate and remove users')
    .description('Works in the organization that --org names, or else in that of the token.')
    .addCommand(userList(terminal))
    .addCommand(userGet(terminal));
  for (const change of userChanges(terminal)) group.addCommand(change);
  return group
    .addCommand(userRemove(terminal))
    .addCommand(userIdentities(terminal))
    .addHelpText(
      'after',
      examples(
        'identity users list --email @acme.example --state locked',
        'identity users get ada@acme.example --json',
        'identity users lock ada@acme.example',
      ),
    );
}
