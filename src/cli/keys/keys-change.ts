import { connect, connectionOptions } from '../api/connection.js';
import { keyPath } from '../api/keys.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';

const parameters = [{ name: 'id', meaning: 'of the key', required: true }] as const;

export const keysActivate = command({
  name: 'activate',
  summary: 'Make a published key sign from now on; its lead time must be over',
  parameters,
  options: connectionOptions,
  examples: ['identity keys activate pQ3vN8s0T1uV2wX3yZ4a5b'],
  async run({ arguments: [id = ''], options }, terminal) {
    const client = await connect(options, terminal);
    const answer = await client.post(keyPath(id, '_activate'), {});
    terminal.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : `${id} signs now.\n`);
    return EXIT.ok;
  },
});

export const keysRemove = command({
  name: 'remove',
  summary: 'Remove a key and invalidate everything that it signed',
  parameters,
  options: connectionOptions,
  examples: ['identity keys remove pQ3vN8s0T1uV2wX3yZ4a5b'],
  async run({ arguments: [id = ''], options }, terminal) {
    const client = await connect(options, terminal);
    const answer = await client.delete<{ details?: object }>(keyPath(id));
    if (options.json) terminal.stdout.write(`${JSON.stringify(answer)}\n`);
    else
      terminal.stdout.write(
        answer.details === undefined ? `There is no key ${id}.\n` : `${id} is removed.\n`,
      );
    return EXIT.ok;
  },
});
