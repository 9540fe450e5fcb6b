import { Argument, Command } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { keyPath } from '../api/keys.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';

const keyArgument = new Argument('<id>', 'of the key');

export function keysActivate(terminal: Terminal) {
  const command = new Command('activate')
    .description('Make a published key sign from now on; its lead time must be over')
    .addArgument(keyArgument);
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples('identity keys activate pQ3vN8s0T1uV2wX3yZ4a5b'))
    .action(async (id, options) => {
      const client = await connect(options, terminal);
      const answer = await client.post(keyPath(id, '_activate'), {});
      terminal.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : `${id} signs now.\n`);
    });
}

export function keysRemove(terminal: Terminal) {
  const command = new Command('remove')
    .description('Remove a key and invalidate everything that it signed')
    .addArgument(keyArgument);
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples('identity keys remove pQ3vN8s0T1uV2wX3yZ4a5b'))
    .action(async (id, options) => {
      const client = await connect(options, terminal);
      const answer = await client.delete<{ details?: object }>(keyPath(id));
      if (options.json) terminal.stdout.write(`${JSON.stringify(answer)}\n`);
      else
        terminal.stdout.write(
          answer.details === undefined ? `There is no key ${id}.\n` : `${id} is removed.\n`,
        );
    });
}
