import { Command } from '@commander-js/extra-typings';
import { KEYS, type AffectedApplication, type Key, type KeySetReader } from '../api/keys.js';
import { getPage } from '../api/pages.js';
import { listCommand } from '../resources/list-command.js';
import type { Terminal } from '../shell/terminal.js';

export function keysList(terminal: Terminal) {
  return list<Key>(terminal, {
    name: 'list',
    meaning: 'List the keys, newest first',
    path: KEYS,
    none: 'There are no keys.',
    example: 'identity keys list',
    lineOf: (key) => [key.id, key.algorithm, key.state, keyStatus(key)].join('  ').trimEnd(),
  });
}

export function keysReaders(terminal: Terminal) {
  return list<KeySetReader>(terminal, {
    name: 'readers',
    meaning: 'List who has fetched the key set recently, by hashed address',
    path: `${KEYS}/readers`,
    none: 'Nobody has fetched the key set.',
    example: 'identity keys readers --limit 100',
    lineOf: ({ id, reads, lastReadAt }) => `${id}  ${reads} times  last ${lastReadAt}`,
  });
}

export function keysAffected(terminal: Terminal) {
  return list<AffectedApplication>(terminal, {
    name: 'affected',
    meaning: 'List the applications that an immediate key change affects',
    path: `${KEYS}/affected`,
    none: 'No application has an active grant.',
    example: 'identity keys affected',
    lineOf: ({ clientId, name, orgId, grants, hasMoreGrants = false }) =>
      `${clientId}  ${name}  organization ${orgId}  ${grants} grants${hasMoreGrants ? ' or more' : ''}`,
  });
}

interface KeyList<Item> {
  readonly name: string;
  readonly meaning: string;
  readonly path: string;
  readonly none: string;
  readonly example: string;
  readonly lineOf: (item: Item) => string;
}

function list<Item>(terminal: Terminal, { name, meaning, path, none, example, lineOf }: KeyList<Item>) {
  return listCommand(terminal, {
    command: new Command(name).description(meaning),
    page: async (client, page) => await getPage<Item>(client, path, page),
    none,
    examples: [example],
    lineOf,
  });
}

function keyStatus({ activatesAt, activeSince, removableAt, removedAt, readers, ...more }: Key): string {
  const isMore = more.hasMoreReaders === true;
  const known = readers === undefined ? [] : [`known to ${readers}${isMore ? ' or more' : ''}`];
  if (removedAt !== undefined) return `removed ${removedAt}`;
  if (activatesAt !== undefined) return [`signs from ${activatesAt}`, ...known].join(', ');
  if (removableAt !== undefined) return [`until ${removableAt}`, ...known].join(', ');
  return [...(activeSince === undefined ? [] : [`since ${activeSince}`]), ...known].join(', ');
}
