import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand } from './call-command.js';
import { showSetting } from './setting.js';
import { readSettings, settingsOption } from './settings-file.js';

const PATH = '/management/v1/policies/login';

/** `identity login-policy`: how the users of an organization sign in. */
export function loginPolicyGroup(terminal: Terminal) {
  const set = new Command('set')
    .summary('Replace the login policy of the organization')
    .description('Replaces all of it: what the file leaves out has its default again.');
  return new Command('login-policy')
    .summary('Show and replace how the users of an organization sign in')
    .description('With allowExternalIdps and instanceIdps: docs/policies.md.')
    .addCommand(showSetting(terminal, { group: 'login-policy', path: PATH, field: 'policy' }))
    .addCommand(
      callCommand(terminal, {
        command: withOptions(set, settingsOption),
        call: async (client, { file }) => await client.put(PATH, await readSettings(file, terminal)),
        told: () => 'The login policy is set.',
        examples: ['identity login-policy set --file login.json'],
      }),
    )
    .addHelpText('after', examples('identity login-policy get'));
}
