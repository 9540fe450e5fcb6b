import { type AffectedApplication, type Key, KEYS, type KeySetReader } from '../api/keys.js';
import { connect, connectionOptions } from '../api/connection.js';
import { command, type Command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { text } from '../shell/options.js';

interface List<Item> {
  readonly details: { readonly totalResult?: string };
  readonly result?: readonly Item[];
}

/** One page of a list: a line for each entry, or JSON. */
function list<Item>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly none: string;
  readonly example: string;
  readonly lineOf: (item: Item) => string;
}): Command {
  const { name, summary, path, none, example, lineOf } = definition;
  return command({
    name,
    summary,
    options: {
      limit: text('N', 'number of entries to list (default 20)'),
      offset: text('N', 'number of entries to skip'),
      ...connectionOptions,
    },
    examples: [example],
    async run({ options }, terminal) {
      const client = await connect(options, terminal);
      const { limit = '20', offset } = options;
      const answer = await client.get<List<Item>>(path, { limit, offset });
      const items = answer.result ?? [];
      if (options.json) {
        terminal.stdout.write(`${JSON.stringify(items)}\n`);
        return EXIT.ok;
      }
      const lines = items.length === 0 ? [none] : items.map(lineOf);
      terminal.stdout.write(`${lines.join('\n')}\n`);
      const total = Number(answer.details.totalResult ?? items.length);
      if (items.length > 0 && total > items.length) terminal.stderr.write(`${items.length} of ${total}\n`);
      return EXIT.ok;
    },
  });
}

export const keysList = list<Key>({
  name: 'list',
  summary: 'List the keys, newest first',
  path: KEYS,
  none: 'There are no keys.',
  example: 'identity keys list',
  lineOf: (key) => [key.id, key.algorithm, key.state, standing(key)].join('  ').trimEnd(),
});

export const keysReaders = list<KeySetReader>({
  name: 'readers',
  summary: 'List who has fetched the key set recently, by hashed address',
  path: `${KEYS}/readers`,
  none: 'Nobody has fetched the key set.',
  example: 'identity keys readers --limit 100',
  lineOf: ({ id, reads, lastReadAt }) => `${id}  ${reads} times  last ${lastReadAt}`,
});

export const keysAffected = list<AffectedApplication>({
  name: 'affected',
  summary: 'List the applications that an immediate key change affects',
  path: `${KEYS}/affected`,
  none: 'No application has an active grant.',
  example: 'identity keys affected',
  lineOf: ({ clientId, name, orgId, grants }) =>
    `${clientId}  ${name}  organization ${orgId}  ${grants} grants`,
});

function standing({ activatesAt, activeSince, removableAt, removedAt, readers }: Key): string {
  const known = readers === undefined ? [] : [`known to ${readers}`];
  if (removedAt !== undefined) return `removed ${removedAt}`;
  if (activatesAt !== undefined) return [`signs from ${activatesAt}`, ...known].join(', ');
  if (removableAt !== undefined) return [`until ${removableAt}`, ...known].join(', ');
  return [...(activeSince === undefined ? [] : [`since ${activeSince}`]), ...known].join(', ');
}
