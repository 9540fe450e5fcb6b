import { Command } from '@commander-js/extra-typings';
import { requireYes } from '../shell/confirm.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand } from './call-command.js';
import { ROUND_TRIP } from './collection.js';
import { readReplacement, settingsOption } from './settings-file.js';

const PATH = '/management/v1/policies/login';
const FILE = 'login-policy.json';

interface Held {
  readonly policy: Readonly<Record<string, unknown>>;
  readonly isDefault: boolean;
  /** Of the provider that addresses of the organization's domains lead to. */
  readonly homeRealmIdpState?: string;
  readonly details: object;
}

/** `identity login-policy`: how the users of an organization sign in. */
export function loginPolicyGroup(terminal: Terminal) {
  return new Command('login-policy')
    .summary('Show and replace how the users of an organization sign in')
    .description(
      'docs/policies.md describes its fields, among them allowExternalIdps and instanceIdps, which decide with which identity ' +
        'providers users may sign in, and homeRealmIdpId, the provider for addresses of verified domains.',
    )
    .addCommand(get(terminal))
    .addCommand(set(terminal))
    .addCommand(reset(terminal))
    .addHelpText('after', examples('identity login-policy get'));
}

function get(terminal: Terminal) {
  return callCommand(terminal, {
    command: new Command('get').description(
      'Show it as JSON; isDefault says whether the organization has set none of its own, homeRealmIdpState whether ' +
        'the provider that homeRealmIdpId names is active',
    ),
    call: async (client) => {
      const { policy, isDefault, homeRealmIdpState, details } = await client.get<Held>(PATH);
      return { ...policy, ...(homeRealmIdpState !== undefined && { homeRealmIdpState }), isDefault, details };
    },
    told: (policy) => JSON.stringify(policy, null, 2),
    examples: ['identity login-policy get'],
  });
}

function set(terminal: Terminal) {
  const command = new Command('set')
    .summary('Replace the login policy of the organization')
    .description(
      'Replaces all of it: what the file leaves out goes back to its default. So a file without allowExternalIdps ' +
        "allows the organization's identity providers again if they were switched off, one without instanceIdps " +
        `switches off those of the instance, and one without homeRealmIdpId sends no addresses to any of those.\n\n${ROUND_TRIP}`,
    );
  return callCommand(terminal, {
    command: withOptions(command, settingsOption),
    call: async (client, { file }) => {
      const { settings, readAt } = await readReplacement(file, ['isDefault', 'homeRealmIdpState'], terminal);
      return await client.put(PATH, settings, readAt);
    },
    told: () => 'The login policy is set.',
    examples: [`identity login-policy get > ${FILE}`, `identity login-policy set --file ${FILE}`],
  });
}

function reset(terminal: Terminal) {
  return callCommand(terminal, {
    command: new Command('reset')
      .summary('Go back to the default login policy')
      .description(
        "Users may sign in with the organization's identity providers, but with none of the instance. They cannot register or " +
          'delete their own account. Requires --yes.',
      )
      .option('--yes', 'confirms the reset'),
    call: async (client, { yes }) => {
      requireYes(yes, 'resetting the login policy');
      return await client.delete(PATH);
    },
    told: () => 'The login policy is the default.',
    examples: ['identity login-policy reset --yes'],
  });
}
