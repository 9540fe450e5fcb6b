import { Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { userPath, type User } from '../api/users.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { findUser, userArgument } from './find-user.js';
import { printUser } from './print-user.js';

/** `identity users deactivate|…|resend-verification <user>`: one call each, and the user as it then is. */
export function userChanges(terminal: Terminal) {
  return [
    change('deactivate', 'Deactivate a user, whose sessions and tokens end at once', '_deactivate', terminal),
    change('reactivate', 'Let a deactivated user sign in again', '_reactivate', terminal),
    change('lock', 'Lock a user, whose sessions and tokens end at once', '_lock', terminal),
    change('unlock', 'Unlock a user, also after too many wrong passwords', '_unlock', terminal),
    change(
      'resend-verification',
      'Mail a user another code for the address',
      'email/_resend_verification',
      terminal,
    ),
  ];
}

function change(name: string, meaning: string, path: string, terminal: Terminal) {
  const command = new Command(name).description(meaning).addArgument(userArgument);
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples(`identity users ${name} ada@acme.example`))
    .action(async (given, options) => {
      const client = await connect(options, terminal);
      const { id } = await findUser(client, given);
      await client.post(userPath(id, path), {});
      const { user } = await client.get<{ user: User }>(userPath(id));
      printUser(user, options.json, terminal);
    });
}
