import { Command, Option } from '@commander-js/extra-typings';
import { emailVerifiedOption } from '../../shell/options.js';
import { type ConvertedHuman, type Note } from '../converted-human.js';
import { csvRecords } from '../reading/csv-records.js';
import { jsonRecords } from '../reading/json-records.js';
import { source } from '../source.js';
import {
  addMetadata,
  asInstant,
  asText,
  defined,
  namesOf,
  requireEmail,
  requireObject,
  splitName,
  type JsonObject,
} from '../values.js';

/** Columns that have a field here, and those that say nothing elsewhere; a key of a pending reset is a secret. */
const KNOWN = new Set(
  [
    'ID',
    'user_login',
    'user_pass',
    'user_email',
    'user_registered',
    'display_name',
    'first_name',
    'last_name',
  ]
    .concat(['nickname', 'locale', 'user_url'])
    .concat(['user_nicename', 'user_activation_key', 'user_status', 'spam', 'deleted']),
);

export const wordpress = source({
  name: 'wordpress',
  summary: 'Convert the users of a WordPress site',
  description:
    'Reads the table wp_users as CSV or JSON, or what wp user list wrote. Carried over: login, id (as metadata), names, e-mail, ' +
    'web site, registration date, and the password hash in every form that WordPress has used ($P$, $wp$2y$, bcrypt, ' +
    'MD5). Other columns, such as roles, become metadata. WordPress does not verify addresses: ' +
    'without --email-verified every user gets a verification mail.',
  options: new Command()
    .requiredOption('--users <file>', 'the CSV or JSON file; - is standard input')
    .addOption(
      new Option('--input-format <format>', 'format of the file (default: by its name)').choices([
        'csv',
        'json',
      ]),
    )
    .addOption(emailVerifiedOption('marks every e-mail address as verified or unverified (default false)')),
  examples: [
    'wp user list --fields=ID,user_login,user_email,user_pass,display_name,user_registered,roles --format=csv > users.csv',
    'identity convert wordpress --users users.csv --output users.ndjson',
  ],

  async open(given, open) {
    const isJson = (given.inputFormat ?? (/\.json(?:\.gz)?$/i.test(given.users) ? 'json' : 'csv')) === 'json';
    return {
      records: () =>
        isJson
          ? jsonRecords(open(given.users), 'users', given.users)
          : csvRecords(open(given.users), { oneOf: ['user_login', 'user_email'] }),
      convert: (value, note) => convert(requireObject(value), given.emailVerified ?? false, note),
    };
  },
});

function convert(user: JsonObject, emailVerified: boolean, note: Note): ConvertedHuman {
  const email = requireEmail(user['user_email']);
  const userName = asText(user['user_login']) ?? email;
  const displayName = asText(user['display_name']);
  const { first, last } = splitName(displayName ?? userName);
  const given = { first: asText(user['first_name']), last: asText(user['last_name']) };
  const hasName = given.first !== undefined || given.last !== undefined;
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({ createdAt: registeredAt(user['user_registered']) }),
    userName,
    profile: {
      ...(hasName
        ? namesOf(given.first, given.last, displayName ?? userName)
        : { firstName: first, lastName: last }),
      ...defined({
        nickName: asText(user['nickname']),
        displayName,
        preferredLanguage: asText(user['locale'])?.replaceAll('_', '-'),
        website: asText(user['user_url']),
      }),
    },
    email: { email, ...(emailVerified && { isEmailVerified: true }) },
  };
  // 1, 2, 3 are no ids for a service with users of many sites
  addMetadata(human, 'wordpress_id', asText(user['ID']));
  const hash = asText(user['user_pass']);
  if (hash !== undefined) human.hashedPassword = { value: hash };
  else note('no password hash (user_pass): the user sets a new password');
  for (const [name, value] of Object.entries(user)) if (!KNOWN.has(name)) addMetadata(human, name, value);
  return human;
}

/** WordPress keeps UTC, and zeroes for users of whom it does not know. */
function registeredAt(value: unknown): string | undefined {
  return asText(value)?.startsWith('0000') === true ? undefined : asInstant(value);
}
