import { OperationFailed } from '../shell/exit.js';
import { Unconvertible } from './converted-human.js';
import { asInstant, asObject, asText, asTruth, type JsonObject } from './values.js';

interface Product {
  readonly name: string;
  /** Members by which a record is known to be of the product: all of one form. */
  readonly forms: readonly (readonly string[])[];
  /** What its users may have instead, by which nobody else's file is known as its own. */
  readonly faintForms?: readonly (readonly string[])[];
  /** The same for people, of the form that its exports have. */
  readonly mark: string;
  /** Members with a password or its hash that the converter reads. */
  readonly reads: readonly string[];
  /** What the converter takes where the product exports in other formats, too. */
  readonly takes?: string;
}

/** Every user of a realm has `username`; these fields distinguish it from the user name of another product. */
const OF_KEYCLOAK = [
  'enabled',
  'emailVerified',
  'createdTimestamp',
  'credentials',
  'realmRoles',
  'totp',
  'requiredActions',
  'federatedIdentities',
  'disableableCredentialTypes',
  'notBefore',
];

const PRODUCTS: readonly Product[] = [
  {
    name: 'keycloak',
    // a list of realms has a message of its own
    forms: [...OF_KEYCLOAK.map((member) => ['username', member]), ['realm', 'users']],
    mark: 'username with enabled',
    reads: [],
  },
  {
    name: 'auth0',
    forms: [
      ['user_id'],
      // names of the export extension
      ['Id', 'Email Verified'],
      ['Id', 'Given Name'],
      ['Id', 'Connection'],
      // what its own import takes, and the file of its support
      ['email', 'email_verified'],
      ['email', 'identities'],
      ['email', 'custom_password_hash'],
      ['email', 'password_hash'],
      ['_id', 'custom_password_hash'],
      ['_id', 'passwordHash'],
    ],
    mark: 'user_id',
    reads: ['custom_password_hash', 'password_hash', 'passwordHash'],
    takes: 'its JSON or NDJSON',
  },
  { name: 'firebase', forms: [['localId']], mark: 'localId', reads: ['passwordHash', 'salt'] },
  {
    name: 'wordpress',
    forms: [['user_login'], ['user_email']],
    mark: 'user_login',
    reads: ['user_pass'],
  },
  {
    name: 'cognito',
    forms: [
      ['Username', 'Attributes'],
      ['Username', 'UserAttributes'],
      ['cognito:username'],
      ['sub', 'email'],
    ],
    mark: 'Username with Attributes, or cognito:username',
    reads: [],
  },
  {
    name: 'okta',
    forms: [['login'], ['Login'], ['profile.login'], ['status', 'profile', 'credentials']],
    // without a login the address is the name; others have these as well
    faintForms: [
      ['email', 'firstName', 'lastName'],
      ['profile.email', 'profile.firstName'],
    ],
    mark: 'login',
    reads: [],
  },
];

/**
 * Holds the records of a run against the product that was named. A converter finds an address in the export of another
 * product, too, and would leave names and password hashes behind: half of a conversion looks like a whole one.
 *
 * @returns a check that throws OperationFailed to end the run, Unconvertible for one record
 */
export function productCheck(source: string): (record: unknown) => void {
  const product = PRODUCTS.find(({ name }) => name === source);
  if (product === undefined) return () => {};
  let isRecognized = false;
  return (value) => {
    const record = asObject(value);
    if (record === undefined) return;
    const isRecord = isOf(record, product) || isOneOf(record, product.faintForms ?? []);
    if (!isRecord) refuseOther(record, product);
    refusePasswords(record, product);
    if (!isRecord) refuseUnknown(product, isRecognized);
    isRecognized = true;
  };
}

function isOf(record: JsonObject, { forms }: Product): boolean {
  return isOneOf(record, forms);
}

function isOneOf(record: JsonObject, forms: Product['forms']): boolean {
  return forms.some((names) => names.every((name) => Object.hasOwn(record, name)));
}

function refuseOther(record: JsonObject, product: Product): void {
  const other = PRODUCTS.find((candidate) => candidate !== product && isOf(record, candidate));
  if (other === undefined) return;
  const takes = other.takes === undefined ? '' : `, which takes ${other.takes}`;
  throw new OperationFailed(
    `this is an export of ${other.name}, not of ${product.name}, and was not converted: use identity convert ${other.name}${takes}`,
  );
}

function refuseUnknown({ name, mark }: Product, isRecognized: boolean): never {
  // among users of the product one that is damaged costs itself alone
  if (isRecognized) throw new Unconvertible(`not a user of ${name}, which has ${mark}`);
  throw new OperationFailed(
    `this is no export of ${name}, whose users have ${mark}, and was not converted: identity convert csv takes any CSV file`,
  );
}

const PASSWORD = /passw|pwd|^pass$/i;
/** What is said about a password: how often it was wrong, how old it is, by which rule it was chosen. */
const ABOUT_PASSWORD =
  /(?:count|attempts?|age|nag|policy|history|status|expires?|expiry|changed?|set|at|on|date|time)$/i;
const HASH = /hash(?!tag)|salt$|digest|[_.]pass$/i;
/** Attributes of a Cognito pool, which become metadata whatever they are called. */
const CUSTOM = /^custom:/;

/** A password or its hash in a member that nobody reads would be lost, or end in the metadata for all to read. */
function refusePasswords(record: JsonObject, product: Product): void {
  // a realm has policies of passwords; what its users have is looked at one by one
  if (Object.hasOwn(record, 'realm') && Array.isArray(record['users'])) return;
  const lost = Object.keys(record).find(
    (name) => !CUSTOM.test(name) && !product.reads.includes(name) && looksLikeOne(name, record[name]),
  );
  if (lost === undefined) return;
  throw new OperationFailed(
    `the member "${lost}" looks like a password or its hash, and ${product.name} exports none under this name: nothing was ` +
      'converted. If it is of another product, use its converter, or identity convert csv; else remove the member',
  );
}

function looksLikeOne(name: string, value: unknown): boolean {
  if (HASH.test(name) && isLong(value)) return true;
  if (!PASSWORD.test(name) || saysNothingOfIt(value)) return false;
  // under such a name nothing but what could be a hash counts
  return !ABOUT_PASSWORD.test(name) || isLong(value);
}

/** When it was changed, whether it must be, how often it was wrong: exports have these under names with "password", too. */
function saysNothingOfIt(value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean' || value === '') return true;
  if (Array.isArray(value) && value.length === 0) return true;
  const text = asText(value);
  if (text === undefined) return typeof value === 'string';
  if (/^\d+$/.test(text)) return text.length >= 10 || text.length <= 3;
  return asTruth(text) !== undefined || asInstant(text) !== undefined;
}

function isLong(value: unknown): boolean {
  if (asObject(value) !== undefined) return true;
  const text = asText(value);
  return text !== undefined && /^\S{16,}$/.test(text) && !saysNothingOfIt(value);
}
