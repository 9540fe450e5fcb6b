import type { ApiClient } from '../api/api-client.js';
import { connect, connectionOptions } from '../api/connection.js';
import { STATE_WORDS, stateName, type User, USERS } from '../api/users.js';
import { command } from '../shell/command.js';
import { EXIT, UsageError } from '../shell/exit.js';
import { choice, flag, type Options, text, type ValuesOf } from '../shell/options.js';
import { tellUsers } from './tell-user.js';

/** The service answers no more at a time. */
const PAGE = 1000;
const USUAL = '100';

const searchOptions = {
  'user-name': text('TEXT', 'those whose user name contains it'),
  'login-name': text('TEXT', 'those whose login name contains it'),
  email: text('TEXT', 'those whose e-mail address contains it'),
  name: text('TEXT', 'those whose display name contains it'),
  exact: flag('the whole of it, upper and lower case as given'),
  state: choice(STATE_WORDS, 'those in that state'),
  type: choice(['human', 'machine'], 'people, or service users'),
  limit: text('N', `how many are listed (default ${USUAL})`),
} as const satisfies Options;

/** Options and the API's conditions (contract §4). */
const TEXTS = [
  ['user-name', 'userNameQuery', 'userName'],
  ['login-name', 'loginNameQuery', 'loginName'],
  ['email', 'emailQuery', 'emailAddress'],
  ['name', 'displayNameQuery', 'displayName'],
] as const;

interface Page {
  readonly details: { readonly totalResult?: string };
  readonly result?: readonly User[];
}

export const userList = command({
  name: 'list',
  summary: 'List users, all or those that fit every condition given',
  options: { ...searchOptions, ...connectionOptions },
  examples: ['identity users list --email ada@ --state active', 'identity users list --limit 100000 --json'],
  async run({ options }, terminal) {
    const limit = wholeNumber(options.limit ?? USUAL);
    const client = await connect(options, terminal);
    const { users, total } = await search(client, queriesOf(options), limit);
    if (options.json) terminal.stdout.write(`${JSON.stringify(users)}\n`);
    else tellUsers(users, terminal);
    if (users.length === 0) terminal.stderr.write('There are no such users.\n');
    else if (users.length < total) terminal.stderr.write(`${users.length} of ${total} users: see --limit.\n`);
    return EXIT.ok;
  },
});

function wholeNumber(given: string): number {
  const number = Number(given);
  if (!/^\d{1,9}$/.test(given) || number === 0) throw new UsageError('--limit is a whole number from 1');
  return number;
}

function queriesOf(options: ValuesOf<typeof searchOptions>): object[] {
  const method = options.exact ? 'TEXT_QUERY_METHOD_EQUALS' : 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE';
  const texts = TEXTS.flatMap(([option, query, field]) => {
    const value = options[option];
    return value === undefined ? [] : [{ [query]: { [field]: value, method } }];
  });
  return [
    ...texts,
    ...(options.state === undefined ? [] : [{ stateQuery: { state: stateName(options.state) } }]),
    ...(options.type === undefined ? [] : [{ typeQuery: { type: `TYPE_${options.type.toUpperCase()}` } }]),
  ];
}

async function search(
  client: ApiClient,
  queries: readonly object[],
  limit: number,
): Promise<{ users: User[]; total: number }> {
  const users: User[] = [];
  for (;;) {
    const query = { offset: String(users.length), limit: Math.min(PAGE, limit - users.length), asc: true };
    const page = await client.post<Page>(`${USERS}/_search`, { query, queries });
    const total = Number(page.details.totalResult ?? 0);
    const found = page.result ?? [];
    users.push(...found);
    if (found.length === 0 || users.length >= Math.min(limit, total)) return { users, total };
  }
}
