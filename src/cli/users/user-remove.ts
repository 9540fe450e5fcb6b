import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { userPath } from '../api/users.js';
import { requireYes } from '../shell/confirm.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { findUser, userArgument } from './find-user.js';

export function userRemove(terminal: Terminal) {
  const command = new Command('remove')
    .summary('Remove a user permanently')
    .description('Sessions, tokens and roles end at once. A removed user cannot be restored. Requires --yes.')
    .addArgument(userArgument)
    .option('--yes', 'confirms the removal');
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples('identity users remove ada@acme.example --yes'))
    .action(async (given, options) => {
      requireYes(options.yes, 'removing a user');
      const client = await connect(options, terminal);
      // read first, so that the output can say who it was
      const user = await findUser(client, given);
      await client.delete(userPath(user.id));
      terminal.stdout.write(
        options.json ? `${JSON.stringify({ id: user.id })}\n` : `Removed user ${user.id}.\n`,
      );
    });
}
