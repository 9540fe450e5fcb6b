import { Argument, Command } from '@commander-js/extra-typings';
import { searchPage } from '../api/pages.js';
import { EXIT } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { momentOf } from '../shell/moments.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand, secretCommand } from './call-command.js';
import { CollectionCommands, pathOf, scopeOption } from './collection.js';
import { listCommand } from './list-command.js';

interface Webhook {
  readonly id: string;
  readonly state: string;
  readonly name: string;
  readonly url: string;
  readonly failures: number;
  readonly lastError?: string;
}

interface DeadLetter {
  readonly id: string;
  readonly event: { readonly type: string; readonly creationDate: string };
  readonly reason: string;
  readonly attempts: number;
}

interface Tested {
  readonly delivered: boolean;
  readonly status?: number;
  readonly reason?: string;
  readonly durationMs: number;
}

const idArgument = new Argument('<id>', 'of the webhook');
const ID = '8Jq2vZ1xT0aB4cD6eF8gHi';

function pathFor({ instance }: { readonly instance?: true }): string {
  return instance ? '/admin/v1/webhooks' : '/management/v1/webhooks';
}

/** `identity webhooks`: who is sent events, and what they did not take. */
export function webhooksGroup(terminal: Terminal) {
  const of = new CollectionCommands(terminal, {
    group: 'webhooks',
    noun: 'webhook',
    one: 'a webhook',
    nouns: 'webhooks',
    place: scopeOption,
    path: pathFor,
    placeExample: '',
    field: 'webhook',
    shownBeside: [
      'id',
      'state',
      'formerSecretUntil',
      'failures',
      'lastError',
      'lastDelivery',
      'nextAttempt',
      'oldestUndelivered',
      'lag',
      'deadLetters',
      'hasMoreDeadLetters',
    ],
    hasSecrets: true,
    lineOf: ({ id, state, name, url, failures, lastError }: Webhook) => {
      const health = failures === 0 ? '' : `${failures} failures in a row, ${lastError ?? 'unknown'}`;
      return [id, state, name, url, health].join('  ').trimEnd();
    },
  });
  return new Command('webhooks')
    .summary('Show and change the webhooks that events are sent to')
    .description('Webhooks of an organization, or with --instance those of the instance: docs/webhooks.md.')
    .addCommand(of.list())
    .addCommand(of.get())
    .addCommand(of.createWithSecret<{ id: string; secret: string }>('secret'))
    .addCommand(of.update('The secret stays.'))
    .addCommand(of.change('activate', '_activate', 'Send events to a webhook again', 'gets events'))
    .addCommand(of.change('deactivate', '_deactivate', 'Send nothing to a webhook', 'gets nothing'))
    .addCommand(changeSecret(terminal))
    .addCommand(test(terminal))
    .addCommand(replay(terminal))
    .addCommand(deadLetters(terminal))
    .addCommand(replayDeadLetters(terminal))
    .addCommand(of.remove('Its dead letters are removed with it.'))
    .addHelpText(
      'after',
      examples(
        'identity webhooks list',
        'identity webhooks create --file webhook.json --secret-file webhook.secret',
        `identity webhooks replay ${ID} --from 2h`,
      ),
    );
}

function changeSecret(terminal: Terminal) {
  const command = new Command('change-secret')
    .description('Create a new secret for a webhook; the previous one also signs for a while')
    .addArgument(idArgument)
    .option('--overlap <duration>', 'for how long, such as 3600s', '86400s');
  return secretCommand(terminal, {
    command: withOptions(command, scopeOption),
    call: async (client, options, id) =>
      await client.post<{ secret: string }>(`${pathOf(pathFor(options), id)}/_change_secret`, {
        overlap: options.overlap,
      }),
    secretIn: 'secret',
    told: (_answer, id) => `The webhook ${id} has a new secret.`,
    examples: [`identity webhooks change-secret ${ID} --secret-file webhook.secret`],
  });
}

function test(terminal: Terminal) {
  const command = new Command('test')
    .description('Send a ping to a webhook at once and say what it answered')
    .addArgument(idArgument);
  return callCommand(terminal, {
    command: withOptions(command, scopeOption),
    call: async (client, options, id) => {
      const tested = await client.post<Tested>(`${pathOf(pathFor(options), id)}/_test`, {});
      if (!tested.delivered) terminal.exitCode = EXIT.failed;
      return tested;
    },
    told: ({ delivered, status, reason, durationMs }: Tested, _id: string) =>
      delivered
        ? `Delivered in ${durationMs} ms (${status ?? ''}).`
        : `Not delivered after ${durationMs} ms: ${reason ?? status ?? 'unknown'}.`,
    examples: [`identity webhooks test ${ID}`],
  });
}

function replay(terminal: Terminal) {
  const command = new Command('replay')
    .summary('Send the events since a time again')
    .description(
      'Receivers recognise repeated events by their ids. A time later than the waiting events skips them.',
    )
    .addArgument(idArgument)
    .requiredOption('--from <time>', 'a time (2026-01-31T08:00Z), or how long ago (90s, 15m, 1h, 7d)');
  return callCommand(terminal, {
    command: withOptions(command, scopeOption),
    call: async (client, options, id) =>
      await client.post(`${pathOf(pathFor(options), id)}/_replay`, {
        from: momentOf('--from', options.from),
      }),
    told: (_answer, id) => `The webhook ${id} gets these events again.`,
    examples: [`identity webhooks replay ${ID} --from 2h`],
  });
}

function deadLetters(terminal: Terminal) {
  const command = new Command('dead-letters')
    .description('List the events that a webhook did not accept')
    .addArgument(idArgument);
  return listCommand(terminal, {
    command: withOptions(command, scopeOption),
    page: async (client, page, options, id) =>
      await searchPage<DeadLetter>(client, `${pathOf(pathFor(options), id)}/dead_letters/_search`, page),
    none: 'There are no dead letters.',
    examples: [`identity webhooks dead-letters ${ID}`],
    lineOf: ({ id, event, reason, attempts }) =>
      `${id}  ${event.creationDate}  ${event.type}  ${reason} after ${attempts} attempts`,
  });
}

function replayDeadLetters(terminal: Terminal) {
  const command = new Command('replay-dead-letters')
    .description('Send events that a webhook did not accept again; without --ids, all of them')
    .addArgument(idArgument)
    .option('--ids <ids>', 'of the dead letters, separated by commas');
  return callCommand(terminal, {
    command: withOptions(command, scopeOption),
    call: async (client, options, id) =>
      await client.post(`${pathOf(pathFor(options), id)}/dead_letters/_replay`, {
        ids: options.ids?.split(',').map((one) => one.trim()),
      }),
    told: (_answer, id) => `The webhook ${id} gets its dead letters again.`,
    examples: [`identity webhooks replay-dead-letters ${ID}`],
  });
}
