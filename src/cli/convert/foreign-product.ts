import { OperationFailed } from '../shell/exit.js';
import { asObject } from './values.js';

/**
 * Members that a record of one product has and no record of another: `convert auth0` finds an address and a name in a
 * Keycloak realm, too, and would leave the password hashes behind. Each list is one form of export.
 */
const MARKS: readonly (readonly [product: string, forms: readonly (readonly string[])[]])[] = [
  [
    'keycloak',
    [
      ['username', 'createdTimestamp'],
      ['username', 'credentials'],
      ['username', 'realmRoles'],
    ],
  ],
  [
    'auth0',
    [
      ['user_id', 'identities'],
      ['user_id', 'email_verified'],
      ['_id', 'custom_password_hash'],
    ],
  ],
  ['firebase', [['localId']]],
  [
    'wordpress',
    [
      ['user_login', 'user_email'],
      ['user_login', 'user_pass'],
    ],
  ],
  ['cognito', [['Username', 'Attributes'], ['Username', 'UserStatus'], ['cognito:username']]],
  ['okta', [['status', 'profile', 'credentials'], ['login', 'firstName'], ['profile.login']]],
];

/**
 * Ends the run at a record of another product: half of a conversion looks like a whole one.
 *
 * @throws OperationFailed
 */
export function refuseForeignProduct(value: unknown, source: string): void {
  const record = asObject(value);
  if (record === undefined || isOf(record, formsOf(source))) return;
  const [product] = MARKS.find(([name, forms]) => name !== source && isOf(record, forms)) ?? [];
  if (product === undefined || formsOf(source) === undefined) return;
  throw new OperationFailed(
    `this is an export of ${product}, not of ${source}, and was not converted: use identity convert ${product}`,
  );
}

function formsOf(source: string): readonly (readonly string[])[] | undefined {
  return MARKS.find(([name]) => name === source)?.[1];
}

function isOf(record: object, forms: readonly (readonly string[])[] = []): boolean {
  return forms.some((names) => names.every((name) => Object.hasOwn(record, name)));
}
