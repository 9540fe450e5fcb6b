import { connect, connectionOptions } from '../api/connection.js';
import { type User, userPath } from '../api/users.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { tellUser } from './tell-user.js';

export const userGet = command({
  name: 'get',
  summary: 'Show a user',
  parameters: [{ name: 'id', meaning: 'of the user', required: true }],
  options: connectionOptions,
  examples: ['identity users get 8Jq2vZ1xT0aB4cD6eF8gHi'],
  async run({ arguments: [id = ''], options }, terminal) {
    const client = await connect(options, terminal);
    const { user } = await client.get<{ user: User }>(userPath(id));
    tellUser(user, options.json, terminal);
    return EXIT.ok;
  },
});
