import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { secretCommand } from './call-command.js';
import { removeSetting, showSetting } from './setting.js';
import { readSettings, settingsOption } from './settings-file.js';

const PATH = '/management/v1/user_migration';

interface Changed {
  readonly signingSecret?: string;
}

/** `identity migration`: users of an old system who are migrated as they sign in. */
export function migrationGroup(terminal: Terminal) {
  const set = new Command('set').description(
    'Set up the migration or replace its settings; a secret is created if there is none',
  );
  const rotateSecret = new Command('rotate-secret').description(
    'Make a new secret that requests to the old system are signed with; the previous one ends at once',
  );
  return new Command('migration')
    .summary('Show and change how users are migrated from an old system when they sign in')
    .description('Of an organization: docs/just-in-time-migration.md.')
    .addCommand(showSetting(terminal, { group: 'migration', path: PATH, field: 'userMigration' }))
    .addCommand(
      secretCommand(terminal, {
        command: withOptions(set, settingsOption),
        call: async (client, { file }) => await client.put<Changed>(PATH, await readSettings(file, terminal)),
        secretIn: 'signingSecret',
        told: () => 'The migration is set.',
        examples: ['identity migration set --file migration.json --secret-file migration.secret'],
      }),
    )
    .addCommand(
      secretCommand(terminal, {
        command: rotateSecret,
        call: async (client) => await client.post<Changed>(`${PATH}/_rotate_secret`, {}),
        secretIn: 'signingSecret',
        told: () => 'Requests are signed with a new secret.',
        examples: ['identity migration rotate-secret --secret-file migration.secret'],
      }),
    )
    .addCommand(
      removeSetting(terminal, {
        group: 'migration',
        path: PATH,
        noun: 'migration',
        consequence: 'Its progress is deleted with it. Migrated users stay.',
      }),
    )
    .addHelpText('after', examples('identity migration get'));
}
