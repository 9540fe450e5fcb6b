import { Argument, Command, type OptionValues } from '@commander-js/extra-typings';
import { getPage } from '../api/pages.js';
import { requireYes } from '../shell/confirm.js';
import { examples } from '../shell/help.js';
import { wholeNumber, withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand, secretCommand } from './call-command.js';
import { pathOf } from './collection.js';
import { listCommand } from './list-command.js';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly expirationDate: string;
  readonly lastUsed?: string;
  readonly mostUses?: number;
  readonly uses?: number;
}

interface Added {
  readonly tokenId: string;
  readonly token: string;
}

const tokenOptions = new Command()
  .requiredOption('--name <name>', 'to tell it from others')
  .option('--expires <time>', 'when it ends, such as 2030-01-31T12:00:00Z (default: never)');

/** `identity scim-tokens`: what directories provision users of an organization with. */
export function scimTokensGroup(terminal: Terminal) {
  return tokensGroup(terminal, {
    group: 'scim-tokens',
    noun: 'SCIM token',
    one: 'a SCIM token',
    summary: 'Show, make and remove tokens that provision users',
    description: 'Tokens of an organization, for a directory that supports SCIM 2.0: docs/scim.md.',
    path: '/management/v1/orgs/me/scim_tokens',
    more: new Command()
      .option('--project <id>', 'roles of this project are the groups of the directory')
      .option('--trusts-emails', 'addresses from the directory count as verified'),
    settings: ({ project, trustsEmails }) => ({ projectId: project, trustsEmails }),
    lineOf: ({ lastUsed }) => (lastUsed === undefined ? 'never used' : `last used ${lastUsed}`),
    consequence: 'The directory that holds it can no longer provision users.',
    example: '--name "Entra ID" --trusts-emails',
  });
}

/** `identity registration-tokens`: what applications register themselves with (RFC 7591 section 3). */
export function registrationTokensGroup(terminal: Terminal) {
  return tokensGroup(terminal, {
    group: 'registration-tokens',
    noun: 'initial access token',
    one: 'an initial access token',
    summary: 'Show, make and remove tokens that register applications',
    description: 'Initial access tokens of an organization: docs/client-registration.md.',
    path: '/management/v1/orgs/me/initial_access_tokens',
    more: new Command()
      .requiredOption('--project <id>', 'project of the applications that register')
      .option('--uses <n>', 'how many applications can register with it', wholeNumber, 1),
    settings: ({ project, uses }) => ({ projectId: project, mostUses: uses }),
    lineOf: ({ uses = 0, mostUses = 0 }) => `${uses} of ${mostUses} uses`,
    consequence: 'Applications registered with it stay.',
    example: '--name "Preview deployments" --project 310716990375453665 --uses 50',
  });
}

interface Kind<More extends OptionValues> {
  readonly group: string;
  readonly noun: string;
  /** The noun with its article. */
  readonly one: string;
  readonly summary: string;
  readonly description: string;
  readonly path: string;
  /** Options of `create` beside name and end. */
  readonly more: Command<[], More>;
  readonly settings: (options: More) => object;
  readonly lineOf: (token: Token) => string;
  readonly consequence: string;
  readonly example: string;
}

function tokensGroup<More extends OptionValues>(terminal: Terminal, kind: Kind<More>) {
  const { group, noun, path } = kind;
  return new Command(group)
    .summary(kind.summary)
    .description(kind.description)
    .addCommand(
      listCommand(terminal, {
        command: new Command('list').description(`List the ${noun}s`),
        page: async (client, page) => await getPage<Token>(client, path, page),
        none: `There are no ${noun}s.`,
        examples: [`identity ${group} list`],
        lineOf: (token) => `${token.id}  ${token.name}  until ${token.expirationDate}  ${kind.lineOf(token)}`,
      }),
    )
    .addCommand(create(terminal, kind))
    .addCommand(remove(terminal, kind))
    .addHelpText('after', examples(`identity ${group} create ${kind.example}`));
}

function create<More extends OptionValues>(terminal: Terminal, kind: Kind<More>) {
  const { group, noun, one, path, more, settings } = kind;
  return secretCommand(terminal, {
    command: withOptions(withOptions(new Command('create').description(`Make ${one}`), tokenOptions), more),
    call: async (client, options) =>
      await client.post<Added>(path, {
        name: options.name,
        expirationDate: options.expires,
        ...settings(options),
      }),
    secretIn: 'token',
    told: ({ tokenId }: Added) => `Made the ${noun} ${tokenId}.`,
    examples: [`identity ${group} create ${kind.example} --secret-file token.txt`],
  });
}

function remove<More extends OptionValues>(terminal: Terminal, kind: Kind<More>) {
  const { group, noun, one, path, consequence } = kind;
  return callCommand(terminal, {
    command: new Command('remove')
      .summary(`Remove ${one}`)
      .description(`It stops working at once. ${consequence} Requires --yes.`)
      .addArgument(new Argument('<id>', 'as the list shows it'))
      .option('--yes', 'confirms the removal'),
    call: async (client, { yes }, id) => {
      requireYes(yes, `removing the ${noun}`);
      return await client.delete(pathOf(path, id));
    },
    told: (_answer, id) => `Removed the ${noun} ${id}.`,
    examples: [`identity ${group} remove 8Jq2vZ1xT0aB4cD6eF8gHi --yes`],
  });
}
