import { connect, connectionOptions } from '../api/connection.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { findUser, userParameter } from './find-user.js';
import { tellUser } from './tell-user.js';

export const userGet = command({
  name: 'get',
  summary: 'Show a user',
  parameters: [userParameter],
  options: connectionOptions,
  examples: ['identity users get ada@acme.example', 'identity users get 249820071659044883'],
  async run({ arguments: [given = ''], options }, terminal) {
    const client = await connect(options, terminal);
    tellUser(await findUser(client, given), options.json, terminal);
    return EXIT.ok;
  },
});
