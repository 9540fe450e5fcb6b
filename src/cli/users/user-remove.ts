import { connect, connectionOptions } from '../api/connection.js';
import { userPath } from '../api/users.js';
import { findUser, userParameter } from './find-user.js';
import { command } from '../shell/command.js';
import { EXIT, UsageError } from '../shell/exit.js';
import { flag } from '../shell/options.js';

export const userRemove = command({
  name: 'remove',
  summary: 'Remove a user for good',
  description: 'Sessions, tokens and roles end at once, and nobody can bring the user back. It needs --yes.',
  parameters: [userParameter],
  options: { yes: flag('says that it is meant'), ...connectionOptions },
  examples: ['identity users remove ada@acme.example --yes'],
  async run({ arguments: [given = ''], options }, terminal) {
    if (!options.yes) throw new UsageError('removing a user cannot be undone: say --yes');
    const client = await connect(options, terminal);
    // read first, so that the answer can tell who it was
    const user = await findUser(client, given);
    await client.delete(userPath(user.id));
    terminal.stdout.write(
      options.json ? `${JSON.stringify({ id: user.id })}\n` : `Removed user ${user.id}.\n`,
    );
    return EXIT.ok;
  },
});
