import { Command } from '@commander-js/extra-typings';
import { emailVerifiedOption } from '../../shell/options.js';
import { type ConvertedHuman, type Note } from '../converted-human.js';
import { csvRecords, type CsvRow } from '../reading/csv-records.js';
import { source } from '../source.js';
import {
  addMetadata,
  addPhone,
  asInstant,
  asLanguage,
  asText,
  defined,
  namesOf,
  requireEmail,
} from '../values.js';

/** States of Okta in which nobody may sign in. */
const OFF = new Set(['SUSPENDED', 'DEPROVISIONED', 'DEACTIVATED', 'INACTIVE']);

/** Columns that have a field here; every other that is not empty becomes metadata under its own name. */
const KNOWN = new Set(
  [
    'id',
    'login',
    'email',
    'firstName',
    'lastName',
    'middleName',
    'nickName',
    'displayName',
    'mobilePhone',
    'status',
  ]
    .concat(['preferredLanguage', 'locale', 'timezone', 'profileUrl', 'created', 'primaryPhone'])
    .map((name) => name.toLowerCase()),
);

export const okta = source({
  name: 'okta',
  summary: 'Convert an Okta CSV of users',
  description:
    "The header has the names of the Okta profile (login, firstName, lastName, email, mobilePhone, …), as Okta's own " +
    'CSV template has it; id, status and created are read where an export tool wrote them. Other columns become ' +
    'metadata. Okta exports neither password hashes nor second factors: users set a new password.',
  options: new Command()
    .requiredOption('--users <file>', 'the CSV file; - is standard input')
    .addOption(
      emailVerifiedOption(
        'marks every e-mail address as verified or unverified; the CSV does not say (default false)',
      ),
    ),
  examples: ['identity convert okta --users okta.csv --email-verified --output users.ndjson'],

  async open(given, open) {
    return {
      givesUserNames: true,
      records: () =>
        csvRecords(open(given.users), { oneOf: ['login', 'email', 'profile.login', 'profile.email'] }),
      convert: (row, note) => convert(row as CsvRow, given.emailVerified ?? false, note),
    };
  },
});

function convert(row: CsvRow, emailVerified: boolean, note: Note): ConvertedHuman {
  const columns = new Map(Object.entries(row).map(([name, cell]) => [bare(name).toLowerCase(), cell]));
  const cell = (name: string) => asText(columns.get(name.toLowerCase()));
  const email = requireEmail(cell('email'));
  const userName = cell('login') ?? email;
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({
      userId: cell('id'),
      state: OFF.has(cell('status')?.toUpperCase() ?? '') ? 'inactive' : undefined,
      createdAt: asInstant(cell('created')),
    }),
    userName,
    profile: {
      ...namesOf(cell('firstName'), cell('lastName'), userName),
      ...defined({
        nickName: cell('nickName'),
        displayName: cell('displayName'),
        preferredLanguage: asLanguage(cell('preferredLanguage') ?? cell('locale')),
        middleName: cell('middleName'),
        profile: cell('profileUrl'),
        zoneinfo: cell('timezone'),
      }),
    },
    email: { email, ...(emailVerified && { isEmailVerified: true }) },
  };
  const mobile = cell('mobilePhone');
  const primary = cell('primaryPhone');
  addPhone(human, mobile ?? primary, undefined, note);
  if (mobile !== undefined) addMetadata(human, 'primaryPhone', primary);
  for (const [name, value] of Object.entries(row)) {
    if (!KNOWN.has(bare(name).toLowerCase())) addMetadata(human, bare(name), value.trim());
  }
  return human;
}

/** Tools that ask the API write `profile.login` for `login`. */
function bare(name: string): string {
  return name.replace(/^profile\./i, '');
}
