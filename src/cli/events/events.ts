import { once } from 'node:events';
import { Command, Option } from '@commander-js/extra-typings';
import type { ApiClient } from '../api/api-client.js';
import { connect, connectionOptions } from '../api/connection.js';
import { EVENTS, INSTANCE_EVENTS, type AuditedEvent, type EventPage } from '../api/events.js';
import { UsageError } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { interruptible } from '../shell/interruptible.js';
import { momentOf } from '../shell/moments.js';
import { wholeNumber, withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { whileRead } from '../shell/while-read.js';
import { userIdOf } from '../users/find-user.js';
import { printEvents } from './print-events.js';

/** The service answers no more at a time. */
const PAGE = 1000;
const USUAL = 100;
/** Earlier events are printed, too, by default. */
const FOLLOWED_FROM = '1m';
const ASK_EVERY_MS = 2_000;

const searchOptions = new Command()
  .option(
    '--since <time>',
    'events since a time (2026-01-31, 2026-01-31T08:00Z), or how long ago (90s, 15m, 1h, 7d)',
  )
  .option('--until <time>', 'events before a time, given like --since')
  .option('--editor <user>', 'events caused by this user: an id or a login name')
  .option(
    '--type <types>',
    'events of this type, or of several, separated by commas (docs/events.md lists them)',
  )
  .option(
    '--aggregate <type:id>',
    'events about one object, or about all of a type: application:8Jq2vZ1xT0aB4cD6eF8gHi, user:ada@acme.example, user',
  )
  .option('--all-orgs', 'events of the instance and all organizations; for administrators of the instance')
  .option('--of-org <id>', 'with --all-orgs: only events of this organization')
  .option('--asc', 'oldest first')
  .option('--limit <n>', `number of events to show (default ${USUAL}; with --format ndjson all)`, wholeNumber)
  .addOption(
    new Option('--format <format>', 'a table (the default), or one JSON object per line').choices([
      'table',
      'ndjson',
    ]),
  )
  .option('--follow', 'keeps showing new events until Ctrl-C');
type SearchOptions = ReturnType<typeof searchOptions.opts>;

interface Search {
  readonly client: ApiClient;
  readonly path: string;
  readonly conditions: Conditions;
}

type Conditions = ReturnType<typeof conditionsOf>;

export function events(terminal: Terminal) {
  const command = new Command('events')
    .summary('Search the audit log: who did what, and when')
    .description(
      'Lists the newest first, in the organization that --org names or else in that of the token. --json writes one list; ' +
        '--format ndjson writes any number of events as they arrive.',
    );
  return withOptions(withOptions(command, searchOptions), connectionOptions)
    .addHelpText(
      'after',
      examples(
        'identity events --since 1h',
        'identity events --type user.locked,user.password_locked --since 7d',
        'identity events --aggregate user:ada@acme.example --format ndjson',
        'identity events --all-orgs --follow',
      ),
    )
    .action(async ({ asc = false, ...options }) => {
      requireSense(options);
      const conditions = conditionsOf(options);
      const client = await connect(options, terminal);
      const path = options.allOrgs ? INSTANCE_EVENTS : EVENTS;
      const search = { client, path, conditions: await withUserIds(client, conditions) };
      if (options.follow) return await follow(search, options, terminal);
      if (options.format === 'ndjson' && options.limit === undefined) {
        return await exportAll(search, asc, terminal);
      }
      const { found, more } = await firstOf(search, asc, options.limit ?? USUAL);
      if (options.json) terminal.stdout.write(`${JSON.stringify(found)}\n`);
      else if (options.format === 'ndjson') printLines(found, terminal);
      else printEvents(found, terminal);
      if (found.length === 0) terminal.stderr.write('There are no such events.\n');
      else if (more) terminal.stderr.write(`These are ${found.length}, and there are more: see --limit.\n`);
    });
}

function requireSense(options: SearchOptions & { readonly json?: boolean }): void {
  if (options.ofOrg !== undefined && !options.allOrgs)
    throw new UsageError('--of-org goes with --all-orgs; to act in an organization use --org');
  if (options.json && (options.format !== undefined || options.follow))
    throw new UsageError('--json writes one list: use --format ndjson');
  if (options.follow && (options.limit ?? options.until) !== undefined)
    throw new UsageError('--follow goes on until it is interrupted: leave out --limit and --until');
}

function conditionsOf(options: SearchOptions) {
  const { until, editor, type, aggregate } = options;
  const since = options.since ?? (options.follow ? FOLLOWED_FROM : undefined);
  const [aggregateType, ...id] = aggregate?.split(':') ?? [];
  return {
    createdFrom: since && momentOf('--since', since),
    createdBefore: until && momentOf('--until', until),
    editorUserId: editor,
    types: type?.split(',').map((one) => one.trim()),
    aggregateType,
    aggregateId: id.length === 0 ? undefined : id.join(':'),
    organizationId: options.ofOrg,
  };
}

/** The same with the ids of users who are given by a login name. Somebody who is removed is found by the id alone. */
async function withUserIds(client: ApiClient, conditions: Conditions): Promise<Conditions> {
  const { editorUserId, aggregateType, aggregateId } = conditions;
  return {
    ...conditions,
    editorUserId: editorUserId && (await userIdOf(client, editorUserId)),
    aggregateId: aggregateId && aggregateType === 'user' ? await userIdOf(client, aggregateId) : aggregateId,
  };
}

async function pageOf(search: Search, query: object): Promise<EventPage> {
  return await search.client.post<EventPage>(search.path, { ...search.conditions, query });
}

async function firstOf(
  search: Search,
  asc: boolean,
  limit: number,
): Promise<{ found: AuditedEvent[]; more: boolean }> {
  const found: AuditedEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf(search, { asc, cursor, limit: Math.min(PAGE, limit - found.length) });
    found.push(...(page.result ?? []));
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < limit);
  return { found, more: cursor !== undefined };
}

async function exportAll({ client, path, conditions }: Search, asc: boolean, terminal: Terminal) {
  const { stdout } = terminal;
  await interruptible(terminal, 'What was written is not all of it.', async (interrupted) => {
    await whileRead(stdout, interrupted, async (signal) => {
      const body = { ...conditions, query: { asc } };
      for await (const piece of await client.stream(path, body, 'application/x-ndjson', signal)) {
        if (!stdout.write(piece)) await once(stdout, 'drain', { signal });
      }
    });
  });
}

/** Ascending pages miss nothing: the service holds back what an open transaction may still come before. */
async function follow(search: Search, { format }: SearchOptions, terminal: Terminal) {
  await interruptible(terminal, 'Stopped.', async (interrupted) => {
    await whileRead(terminal.stdout, interrupted, async (signal) => {
      let cursor: string | undefined;
      for (;;) {
        const page = await pageOf(search, { asc: true, cursor, limit: PAGE });
        const print = format === 'ndjson' ? printLines : printEvents;
        print(page.result ?? [], terminal);
        cursor = page.lastCursor ?? cursor;
        if (page.nextCursor === undefined) await terminal.wait(ASK_EVERY_MS);
        signal.throwIfAborted();
      }
    });
  });
}

/** As a stream has them: a file holds no names, whichever way it came about. */
function printLines(found: readonly AuditedEvent[], terminal: Terminal): void {
  for (const { target: _, aggregate, ...event } of found) {
    const { type, id } = aggregate;
    terminal.stdout.write(`${JSON.stringify({ ...event, aggregate: { type, id } })}\n`);
  }
}
