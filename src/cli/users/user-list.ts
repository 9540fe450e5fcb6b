import { Command, Option } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { gather, type Page } from '../api/pages.js';
import { STATE_WORDS, stateName, USERS, type User } from '../api/users.js';
import { examples } from '../shell/help.js';
import { wholeNumber, withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { printUsers } from './print-user.js';

const searchOptions = new Command()
  .option('--user-name <text>', 'users whose user name contains this text')
  .option('--login-name <text>', 'users whose login name contains this text')
  .option('--email <text>', 'users whose e-mail address contains this text')
  .option('--name <text>', 'users whose display name contains this text')
  .option('--exact', 'compares the whole text, and upper and lower case')
  .addOption(new Option('--state <state>', 'those in that state').choices(STATE_WORDS))
  .addOption(new Option('--type <type>', 'people, or service users').choices(['human', 'machine']))
  .option('--limit <n>', 'number of users to list', wholeNumber, 100);
type SearchOptions = ReturnType<typeof searchOptions.opts>;

/** Options and the API's conditions (protocol §4). */
const TEXTS = [
  ['userName', 'userNameQuery', 'userName'],
  ['loginName', 'loginNameQuery', 'loginName'],
  ['email', 'emailQuery', 'emailAddress'],
  ['name', 'displayNameQuery', 'displayName'],
] as const;

export function userList(terminal: Terminal) {
  const command = new Command('list').description('List all users, or those that meet every given condition');
  return withOptions(withOptions(command, searchOptions), connectionOptions)
    .addHelpText(
      'after',
      examples(
        'identity users list --email ada@ --state active',
        'identity users list --limit 100000 --json',
      ),
    )
    .action(async (options) => {
      const client = await connect(options, terminal);
      const queries = queriesOf(options);
      const { details, result: users = [] } = await gather({ limit: options.limit }, (part) =>
        client.post<Page<User>>(`${USERS}/_search`, { query: { ...part, asc: true }, queries }),
      );
      const total = Number(details.totalResult ?? 0);
      if (options.json) terminal.stdout.write(`${JSON.stringify(users)}\n`);
      else printUsers(users, terminal);
      if (users.length === 0) terminal.stderr.write('There are no such users.\n');
      else if (users.length < total)
        terminal.stderr.write(`${users.length} of ${total} users: see --limit.\n`);
    });
}

function queriesOf(options: SearchOptions): object[] {
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
