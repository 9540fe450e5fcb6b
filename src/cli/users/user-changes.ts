import { connect, connectionOptions } from '../api/connection.js';
import { type User, userPath } from '../api/users.js';
import { command, type Command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { findUser, userParameter } from './find-user.js';
import { tellUser } from './tell-user.js';

/** `identity users deactivate|…|resend-verification <user>`: one call each, and the user as it then is. */
export const userChanges: readonly Command[] = [
  change('deactivate', 'Deactivate a user, whose sessions and tokens end at once', '_deactivate'),
  change('reactivate', 'Let a deactivated user sign in again', '_reactivate'),
  change('lock', 'Lock a user, whose sessions and tokens end at once', '_lock'),
  change('unlock', 'Unlock a user, also after too many wrong passwords', '_unlock'),
  change('resend-verification', 'Mail a user another code for the address', 'email/_resend_verification'),
];

function change(name: string, summary: string, action: string): Command {
  return command({
    name,
    summary,
    parameters: [userParameter],
    options: connectionOptions,
    examples: [`identity users ${name} ada@acme.example`],
    async run({ arguments: [given = ''], options }, terminal) {
      const client = await connect(options, terminal);
      const { id } = await findUser(client, given);
      await client.post(userPath(id, action), {});
      const { user } = await client.get<{ user: User }>(userPath(id));
      tellUser(user, options.json, terminal);
      return EXIT.ok;
    },
  });
}
