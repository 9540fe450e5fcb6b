import { Argument, Command } from '@commander-js/extra-typings';
import { userPath } from '../api/users.js';
import { callCommand } from '../resources/call-command.js';
import { requireYes } from '../shell/confirm.js';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { findUser, userArgument } from './find-user.js';

interface Identity {
  readonly id: string;
  readonly idpName: string;
  readonly externalUserId: string;
  readonly displayName: string;
  readonly lastUsed?: string;
}

/** `identity users identities`: who a user is at identity providers. */
export function userIdentities(terminal: Terminal) {
  return new Command('identities')
    .summary('Show, add and remove the identities that a user has at identity providers')
    .description('Anyone whom a provider identifies by one of these ids can sign in as the user.')
    .addCommand(list(terminal))
    .addCommand(add(terminal))
    .addCommand(remove(terminal))
    .addHelpText('after', examples('identity users identities list ada@acme.example'));
}

function list(terminal: Terminal) {
  return callCommand(terminal, {
    command: new Command('list').description('List the identities of a user').addArgument(userArgument),
    call: async (client, _options, given) => {
      const { id } = await findUser(client, given);
      return (await client.get<{ readonly result: readonly Identity[] }>(`${userPath(id)}/idps`)).result;
    },
    told: (identities: readonly Identity[], user) =>
      identities.length === 0 ? `${user} has no identities.` : identities.map(lineOf).join('\n'),
    examples: ['identity users identities list ada@acme.example'],
  });
}

function add(terminal: Terminal) {
  return callCommand(terminal, {
    command: new Command('add')
      .summary('Add an identity to a user')
      .description('Anyone whom the provider identifies by this id can sign in as the user.')
      .addArgument(userArgument)
      .requiredOption(
        '--provider <id>',
        'as "identity providers list" shows it; one of the instance: "identity providers list --instance"',
      )
      .requiredOption('--external-id <id>', 'id of the user at the provider: sub, NameID or entryUUID')
      .option('--display-name <name>', 'how it is shown, such as the address there'),
    call: async (client, { provider, externalId, displayName }, given) => {
      const { id } = await findUser(client, given);
      const identity = {
        idpId: provider,
        externalUserId: externalId,
        ...(displayName !== undefined && { displayName }),
      };
      return await client.post<{ readonly id: string }>(`${userPath(id)}/idps`, identity);
    },
    told: ({ id }, user) => `Added the identity ${id} to ${user}.`,
    examples: [
      'identity users identities add ada@acme.example --provider 8Jq2vZ1xT0aB4cD6eF8gHi --external-id 00u1a2b3c4',
    ],
  });
}

function remove(terminal: Terminal) {
  return callCommand(terminal, {
    command: new Command('remove')
      .summary('Remove an identity of a user')
      .description(
        'The last way to sign in cannot be removed. Sessions, tokens and authorizations of the user end. Requires --yes.',
      )
      .addArgument(userArgument)
      .addArgument(new Argument('<identity>', 'id, as the list shows it'))
      .option('--yes', 'confirms the removal'),
    call: async (client, { yes }, given, identity) => {
      requireYes(yes, 'removing an identity');
      const { id } = await findUser(client, given);
      return await client.delete(`${userPath(id)}/idps/${encodeURIComponent(identity)}`);
    },
    told: (_answer, user, identity) => `Removed the identity ${identity} of ${user}.`,
    examples: ['identity users identities remove ada@acme.example 8Jq2vZ1xT0aB4cD6eF8gHi --yes'],
  });
}

function lineOf({ id, idpName, externalUserId, displayName, lastUsed = 'never used' }: Identity): string {
  return [id, idpName, externalUserId, displayName, lastUsed].join('  ');
}
