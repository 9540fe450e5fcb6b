/**
 * How the columns of a CSV file are understood, to show it before anything is sent. The service decides; a unit test holds
 * this to it.
 */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  kind: [],
  userId: ['id'],
  orgId: ['organization_id'],
  state: [],
  createdAt: ['created'],
  userName: ['login_name', 'login'],
  'profile.firstName': ['first_name', 'given_name'],
  'profile.lastName': ['last_name', 'family_name'],
  'profile.nickName': ['nick_name'],
  'profile.displayName': ['display_name'],
  'profile.preferredLanguage': ['preferred_language', 'language', 'locale'],
  'profile.gender': ['gender'],
  'profile.middleName': ['middle_name'],
  'profile.profile': [],
  'profile.picture': ['picture'],
  'profile.website': ['website'],
  'profile.birthdate': ['birthdate', 'birthday'],
  'profile.zoneinfo': ['zoneinfo', 'time_zone'],
  'profile.address.formatted': ['address'],
  'profile.address.streetAddress': ['street_address', 'street'],
  'profile.address.locality': ['locality', 'city'],
  'profile.address.region': ['region'],
  'profile.address.postalCode': ['postal_code', 'zip'],
  'profile.address.country': ['country'],
  'email.email': ['email', 'mail'],
  'email.isEmailVerified': ['email_verified', 'is_email_verified'],
  'phone.phone': ['phone', 'phone_number', 'mobile'],
  'phone.isPhoneVerified': ['phone_verified', 'phone_number_verified', 'is_phone_verified'],
  password: [],
  'hashedPassword.value': ['hashed_password', 'password_hash', 'hash'],
  passwordChangeRequired: [],
  totpSecret: ['otp_code'],
  recoveryCodes: ['recovery_codes', 'backup_codes'],
  codeFactors: [],
  name: [],
  description: [],
  accessTokenType: [],
};

/** `First name`, `first_name` and `firstName` are one. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[ _-]/g, '');
}

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(COLUMNS).flatMap(([field, aliases]) =>
    [field, ...aliases].map((name) => [plainName(name), field] as const),
  ),
);

/** Every name that is understood, in one of its spellings. */
export const COLUMN_NAMES: readonly (readonly [name: string, field: string])[] = Object.entries(
  COLUMNS,
).flatMap(([field, aliases]) => [field, ...aliases].map((name) => [name, field] as const));

/** Where the cells of a column go; undefined for one that the service refuses. */
export function fieldOfColumn(given: string): string | undefined {
  const name = given.trim();
  return /^metadata\./i.test(name)
    ? `metadata.${name.slice('metadata.'.length)}`
    : BY_NAME.get(plainName(name));
}
