import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { findUser, userArgument } from './find-user.js';
import { printUser } from './print-user.js';

export function userGet(terminal: Terminal) {
  const command = new Command('get').description('Show a user').addArgument(userArgument);
  return withOptions(command, connectionOptions)
    .addHelpText(
      'after',
      examples('identity users get ada@acme.example', 'identity users get 249820071659044883'),
    )
    .action(async (given, options) => {
      const client = await connect(options, terminal);
      printUser(await findUser(client, given), options.json, terminal);
    });
}
