import { Argument, Command, Option } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand, secretCommand } from './call-command.js';
import { CollectionCommands, pathOf } from './collection.js';
import { readSettings, settingsOption } from './settings-file.js';

interface Application {
  readonly id: string;
  readonly state: string;
  readonly name: string;
  readonly oidcConfig?: { readonly clientId: string; readonly complianceProblems?: readonly object[] };
  readonly apiConfig?: { readonly clientId: string };
}

interface Created {
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret?: string;
}

interface NewToken {
  readonly registrationAccessToken?: string;
}

interface Changed {
  readonly clientSecret?: string;
}

const ID = '8Jq2vZ1xT0aB4cD6eF8gHi';
const PLACE_EXAMPLE = '--project 310716990375453665';
const idArgument = new Argument('<id>', 'of the application, not its client id');
const projectOption = new Command().requiredOption('--project <id>', 'project of the application');
const typeOption = new Command().addOption(
  new Option('--type <type>', 'signs users in (oidc), or only introspects tokens (api)')
    .choices(['oidc', 'api'] as const)
    .default('oidc' as const),
);

function pathFor({ project }: { readonly project: string }): string {
  return `/management/v1/projects/${encodeURIComponent(project)}/apps`;
}

/** `identity applications`: the clients of a project. */
export function applicationsGroup(terminal: Terminal) {
  const of = new CollectionCommands(terminal, {
    group: 'applications',
    noun: 'application',
    one: 'an application',
    nouns: 'applications',
    place: projectOption,
    path: pathFor,
    placeExample: PLACE_EXAMPLE,
    field: 'app',
    shownBeside: ['id', 'state'],
    hasSecrets: true,
    lineOf: ({ id, state, name, oidcConfig, apiConfig }: Application) => {
      const problems = oidcConfig?.complianceProblems?.length ?? 0;
      return [
        id,
        state,
        (oidcConfig ?? apiConfig)?.clientId ?? '',
        name,
        problems === 0 ? '' : `${problems} compliance problems`,
      ]
        .join('  ')
        .trimEnd();
    },
  });
  return new Command('applications')
    .summary('Show and change the applications of a project')
    .description('docs/applications.md describes every setting.')
    .addCommand(of.list())
    .addCommand(of.get())
    .addCommand(create(terminal))
    .addCommand(configure(terminal))
    .addCommand(generateSecret(terminal))
    .addCommand(generateRegistrationToken(terminal))
    .addCommand(endRegistrationToken(terminal))
    .addCommand(
      of.change('deactivate', '_deactivate', 'Deactivate an application, whose tokens end', 'is inactive'),
    )
    .addCommand(of.change('reactivate', '_reactivate', 'Reactivate an application', 'is active'))
    .addCommand(of.remove('Its tokens end at once.'))
    .addHelpText(
      'after',
      examples(
        `identity applications list ${PLACE_EXAMPLE}`,
        `identity applications create ${PLACE_EXAMPLE} --file web.json --secret-file web.secret`,
      ),
    );
}

function create(terminal: Terminal) {
  const command = new Command('create').description('Create an application');
  return secretCommand(terminal, {
    command: withOptions(withOptions(withOptions(command, settingsOption), typeOption), projectOption),
    call: async (client, { file, type, project }) =>
      await client.post<Created>(`${pathFor({ project })}/${type}`, await readSettings(file, terminal)),
    secretIn: 'clientSecret',
    told: ({ appId, clientId }: Created) =>
      `Created the application ${appId} with the client id ${clientId}.`,
    examples: [
      `identity applications create ${PLACE_EXAMPLE} --file web.json --secret-file web.secret`,
      `identity applications create ${PLACE_EXAMPLE} --type api --file api.json`,
    ],
  });
}

function configure(terminal: Terminal) {
  const command = new Command('configure')
    .summary('Replace the settings of an application')
    .description(
      'Replaces all settings: what the file leaves out goes back to its default. If the new authentication method ' +
        'needs a secret, one is created.',
    )
    .addArgument(idArgument);
  return secretCommand(terminal, {
    command: withOptions(withOptions(withOptions(command, settingsOption), typeOption), projectOption),
    call: async (client, { file, type, project }, id) =>
      await client.put<Changed>(
        `${pathOf(pathFor({ project }), id)}/${type}_config`,
        await readSettings(file, terminal),
      ),
    secretIn: 'clientSecret',
    told: (_answer: Changed, id) => `Changed the application ${id}.`,
    examples: [`identity applications configure ${ID} ${PLACE_EXAMPLE} --file web.json`],
  });
}

function generateSecret(terminal: Terminal) {
  const command = new Command('generate-secret')
    .description('Make a new client secret; the old one stops working at once')
    .addArgument(idArgument);
  return secretCommand(terminal, {
    command: withOptions(withOptions(command, typeOption), projectOption),
    call: async (client, { type, project }, id) =>
      await client.post<Changed>(
        `${pathOf(pathFor({ project }), id)}/${type}_config/_generate_client_secret`,
        {},
      ),
    secretIn: 'clientSecret',
    told: (_answer: Changed, id) => `The application ${id} has a new secret.`,
    examples: [`identity applications generate-secret ${ID} ${PLACE_EXAMPLE} --secret-file web.secret`],
  });
}

function generateRegistrationToken(terminal: Terminal) {
  const command = new Command('generate-registration-token')
    .summary('Make a new registration access token')
    .description(
      'For an application that registered itself: it needs the token to change its registration. The old one stops working at once.',
    )
    .addArgument(idArgument);
  return secretCommand(terminal, {
    command: withOptions(command, projectOption),
    call: async (client, { project }, id) =>
      await client.post<NewToken>(`${pathOf(pathFor({ project }), id)}/_generate_registration_token`, {}),
    secretIn: 'registrationAccessToken',
    told: (_answer: NewToken, id) => `The application ${id} has a new registration access token.`,
    examples: [
      `identity applications generate-registration-token ${ID} ${PLACE_EXAMPLE} --secret-file registration.token`,
    ],
  });
}

function endRegistrationToken(terminal: Terminal) {
  const command = new Command('end-registration-token')
    .summary('End the registration access token')
    .description('The application stays as it is, and can no longer change its registration.')
    .addArgument(idArgument);
  return callCommand(terminal, {
    command: withOptions(command, projectOption),
    call: async (client, { project }, id) =>
      await client.delete(`${pathOf(pathFor({ project }), id)}/registration_token`),
    told: (_answer, id) => `The registration access token of the application ${id} has ended.`,
    examples: [`identity applications end-registration-token ${ID} ${PLACE_EXAMPLE}`],
  });
}
