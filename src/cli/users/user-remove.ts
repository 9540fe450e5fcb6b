import { connect, connectionOptions } from '../api/connection.js';
import { type User, userPath } from '../api/users.js';
import { command } from '../shell/command.js';
import { EXIT, UsageError } from '../shell/exit.js';
import { flag } from '../shell/options.js';

export const userRemove = command({
  name: 'remove',
  summary: 'Remove a user for good',
  description: 'Sessions, tokens and roles end at once, and nobody can bring the user back. It needs --yes.',
  parameters: [{ name: 'id', meaning: 'of the user', required: true }],
  options: { yes: flag('says that it is meant'), ...connectionOptions },
  examples: ['identity users remove 8Jq2vZ1xT0aB4cD6eF8gHi --yes'],
  async run({ arguments: [id = ''], options }, terminal) {
    if (!options.yes) throw new UsageError('removing a user cannot be undone: say --yes');
    const client = await connect(options, terminal);
    // read first, so that the answer can tell who it was
    const { user } = await client.get<{ user: User }>(userPath(id));
    await client.delete(userPath(id));
    terminal.stdout.write(
      options.json ? `${JSON.stringify({ id: user.id })}\n` : `Removed user ${user.id}.\n`,
    );
    return EXIT.ok;
  },
});
