import { Command } from '@commander-js/extra-typings';
import { EXIT } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand, secretCommand } from './call-command.js';
import { removeSetting, showSetting } from './setting.js';
import { readSettings, settingsOption } from './settings-file.js';

const PATH = '/management/v1/claims_webhook';

interface Tested {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
  readonly durationMs: number;
}

/** `identity claims-webhook`: the one that adds claims to the tokens of an organization's applications. */
export function claimsWebhookGroup(terminal: Terminal) {
  const set = new Command('set').description(
    'Set the claims webhook; an existing secret is kept, otherwise one is created',
  );
  const changeSecret = new Command('change-secret')
    .description('Create a new secret for the claims webhook; the previous one also signs for a while')
    .option('--overlap <duration>', 'for how long, such as 3600s', '86400s');
  const test = new Command('test').description('Ask the claims webhook about yourself, for no token');
  return new Command('claims-webhook')
    .summary('Show and change the webhook that adds claims to tokens')
    .description('Of an organization: docs/claims-webhook.md.')
    .addCommand(showSetting(terminal, { group: 'claims-webhook', path: PATH, field: 'claimsWebhook' }))
    .addCommand(
      secretCommand(terminal, {
        command: withOptions(set, settingsOption),
        call: async (client, { file }) =>
          await client.put<{ secret?: string }>(PATH, await readSettings(file, terminal)),
        secretIn: 'secret',
        told: () => 'The claims webhook is set.',
        examples: ['identity claims-webhook set --file claims-webhook.json --secret-file claims.secret'],
      }),
    )
    .addCommand(
      secretCommand(terminal, {
        command: changeSecret,
        call: async (client, { overlap }) =>
          await client.post<{ secret: string }>(`${PATH}/_change_secret`, { overlap }),
        secretIn: 'secret',
        told: () => 'The claims webhook has a new secret.',
        examples: ['identity claims-webhook change-secret --secret-file claims.secret'],
      }),
    )
    .addCommand(
      callCommand(terminal, {
        command: test,
        call: async (client) => {
          const tested = await client.post<Tested>(`${PATH}/_test`, {});
          if (tested.claims === undefined) terminal.exitCode = EXIT.failed;
          return tested;
        },
        told: ({ claims, reason, durationMs }: Tested) =>
          claims === undefined
            ? `No claims after ${durationMs} ms: ${reason ?? 'unknown'}.`
            : `After ${durationMs} ms: ${JSON.stringify(claims)}`,
        examples: ['identity claims-webhook test'],
      }),
    )
    .addCommand(
      removeSetting(terminal, {
        group: 'claims-webhook',
        path: PATH,
        noun: 'claims webhook',
        consequence: 'Tokens are issued without its claims from now on.',
      }),
    )
    .addHelpText('after', examples('identity claims-webhook get', 'identity claims-webhook test'));
}
