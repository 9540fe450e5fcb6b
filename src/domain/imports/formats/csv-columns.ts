import { profileFields } from '../records/human-profile.js';
import type { ObjectShape } from '../records/read-fields.js';
import { unreadable } from './source-record.js';

/** A column: where its cells go in the record, and how they are read. */
export interface CsvColumn {
  readonly path: readonly string[];
  readonly kind: 'text' | 'flag' | 'gender' | 'list' | 'codes';
}

/** Names in files from elsewhere, of fields that have other ones there than their own. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'profile.firstName': ['first_name', 'given_name'],
  'profile.lastName': ['last_name', 'family_name'],
  'profile.preferredLanguage': ['preferred_language', 'language', 'locale'],
  // a column of that name would say nothing of what is in it
  'profile.profile': [],
  'profile.birthdate': ['birthdate', 'birthday'],
  'profile.zoneinfo': ['zoneinfo', 'time_zone'],
  'profile.address.formatted': ['address'],
  'profile.address.streetAddress': ['street_address', 'street'],
  'profile.address.locality': ['locality', 'city'],
  'profile.address.postalCode': ['postal_code', 'zip'],
};

function profileColumns(fields: ObjectShape, place: string): [path: string, ...aliases: string[]][] {
  return Object.entries(fields).flatMap(([field, kind]) => {
    const path = `${place}.${field}`;
    if (typeof kind === 'object') return profileColumns(kind, path);
    return [[path, ...(ALIASES[path] ?? [field])] as [path: string, ...aliases: string[]]];
  });
}

/** The documented columns: the paths of the record, and the short names that files from elsewhere have. */
const COLUMNS: readonly (readonly [path: string, ...aliases: string[]])[] = [
  ['kind'],
  ['userId', 'id'],
  ['orgId', 'organization_id'],
  ['state'],
  ['createdAt', 'created'],
  ['userName', 'login_name', 'login'],
  ...profileColumns(profileFields, 'profile'),
  ['email.email', 'email', 'mail'],
  ['email.isEmailVerified', 'email_verified', 'is_email_verified'],
  ['phone.phone', 'phone', 'phone_number', 'mobile'],
  ['phone.isPhoneVerified', 'phone_verified', 'phone_number_verified', 'is_phone_verified'],
  ['password'],
  ['hashedPassword.value', 'hashed_password', 'password_hash', 'hash'],
  ['passwordChangeRequired'],
  ['totpSecret', 'otp_code'],
  ['recoveryCodes', 'recovery_codes', 'backup_codes'],
  ['codeFactors'],
  ['name'],
  ['description'],
  ['accessTokenType'],
];

const KINDS: ReadonlyMap<string, CsvColumn['kind']> = new Map([
  ['email.isEmailVerified', 'flag'],
  ['phone.isPhoneVerified', 'flag'],
  ['passwordChangeRequired', 'flag'],
  ['profile.gender', 'gender'],
  ['recoveryCodes', 'codes'],
  ['codeFactors', 'list'],
]);

/** `First name`, `first_name` and `firstName` are one. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[ _-]/g, '');
}

const BY_NAME: ReadonlyMap<string, CsvColumn> = new Map(
  COLUMNS.flatMap(([path, ...aliases]) => {
    const column: CsvColumn = { path: path.split('.'), kind: KINDS.get(path) ?? 'text' };
    return [path, ...aliases].map((name) => [plainName(name), column] as const);
  }),
);

const METADATA = /^metadata\./i;
const MOST_COLUMNS = 200;

/** Reads the header row. @throws SourceError for a column that is unknown or there twice: a typo must lose no data */
export function readCsvHeader(names: readonly string[]): readonly CsvColumn[] {
  if (names.length > MOST_COLUMNS) throw unreadable(`the header has more than ${MOST_COLUMNS} columns`);
  if (names.length === 1 && /[;\t]/.test(names[0] ?? '')) {
    throw unreadable('the header has one column only: columns are separated by commas (RFC 4180)');
  }
  const seen = new Set<string>();
  return names.map((given, index) => {
    const name = given.trim();
    const column = METADATA.test(name)
      ? ({ path: ['metadata', name.replace(METADATA, '')], kind: 'text' } as const)
      : BY_NAME.get(plainName(name));
    if (column === undefined) {
      throw unreadable(`column ${index + 1} of the header is unknown: "${readable(name)}"`);
    }
    const path = column.path.join('.');
    if (seen.has(path)) throw unreadable(`column "${readable(path)}" is in the header twice`);
    seen.add(path);
    return column;
  });
}

function readable(name: string): string {
  return name.slice(0, 60).replace(/["\\\p{C}\p{Z}]/gu, '?');
}
