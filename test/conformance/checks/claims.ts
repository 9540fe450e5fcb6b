import { isObject, type Json } from './json.js';

/** Claims of each scope (OpenID Connect Core §5.4). */
export const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  openid: ['sub'],
  profile: [
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
    'preferred_username',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
  offline_access: [],
};

const BOOLEANS = ['email_verified', 'phone_number_verified'];
const ADDRESS = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country'];
const TEXTS = [
  'sub',
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'email',
  'gender',
  'zoneinfo',
  'locale',
  'phone_number',
  'txn',
];

/** What an ID token may hold beside the claims of the scopes asked for; anything else is a WARN. */
const ID_TOKEN_CLAIMS = new Set(
  `iss sub aud exp iat auth_time nonce acr amr azp at_hash c_hash s_hash nbf jti sid txn openbanking_intent_id`.split(
    ' ',
  ),
);

/** OpenID Connect Core §5.1: what is there has the right type, and is never null or empty. */
export function claimTypeFaults(where: string, claims: Json, nowSeconds: number): string[] {
  const faults = TEXTS.filter((name) => name in claims && !hasContent(claims[name])).map(
    (name) => `${where}: ${name} is not a string with content`,
  );
  for (const name of BOOLEANS) {
    if (name in claims && typeof claims[name] !== 'boolean')
      faults.push(`${where}: ${name} is not a boolean`);
  }
  if ('birthdate' in claims && !isBirthdate(claims['birthdate'], nowSeconds)) {
    faults.push(`${where}: birthdate is not YYYY-MM-DD, 0000-MM-DD or YYYY of a living person`);
  }
  for (const name of ['_claim_names', '_claim_sources']) {
    if (name in claims && !isObject(claims[name])) faults.push(`${where}: ${name} is not an object`);
  }
  return [...faults, ...updatedAtFaults(where, claims, nowSeconds), ...addressFaults(where, claims)];
}

function hasContent(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.toLowerCase() !== 'null';
}

function isBirthdate(value: unknown, nowSeconds: number): boolean {
  if (typeof value !== 'string') return false;
  const thisYear = new Date(nowSeconds * 1000).getUTCFullYear();
  const isYear = (year: number) => year >= 1850 && year <= thisYear;
  if (/^\d{4}$/.test(value)) return isYear(Number(value));
  const [, year = '', rest = ''] = /^(\d{4})-(\d{2}-\d{2})$/.exec(value) ?? [];
  if (rest === '' || !(year === '0000' || isYear(Number(year)))) return false;
  // year 0 is a leap year, as 2000 is
  const day = new Date(`${year === '0000' ? '2000' : year}-${rest}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(5, 10) === rest;
}

function updatedAtFaults(where: string, claims: Json, nowSeconds: number): string[] {
  if (!('updated_at' in claims)) return [];
  const updatedAt = claims['updated_at'];
  if (typeof updatedAt !== 'number') return [`${where}: updated_at is not a number`];
  const sane = updatedAt >= Date.UTC(1990, 0) / 1000 && updatedAt <= nowSeconds + 300;
  return sane ? [] : [`${where}: updated_at is not between 1990 and now: ${updatedAt}`];
}

function addressFaults(where: string, claims: Json): string[] {
  if (!('address' in claims)) return [];
  const { address } = claims;
  if (!isObject(address) || Object.keys(address).length === 0) {
    return [`${where}: address is not an object with members`];
  }
  return ADDRESS.filter((name) => name in address && !hasContent(address[name])).map(
    (name) => `${where}: address.${name} is not a string with content`,
  );
}

export function unaskedClaimFaults(claims: Json, scope: string): string[] {
  const asked = new Set(scope.split(' ').flatMap((name) => CLAIMS_OF_SCOPE[name] ?? []));
  return Object.keys(claims)
    .filter((name) => !ID_TOKEN_CLAIMS.has(name) && !asked.has(name))
    .map((name) => `the ID token has ${name}, for which nobody asked`);
}

/** Claims of the scopes that are not there. */
export function missingClaimFaults(where: string, claims: Json, scope: string): string[] {
  return scope
    .split(' ')
    .flatMap((name) => CLAIMS_OF_SCOPE[name] ?? [])
    .filter((name) => !(name in claims))
    .map((name) => `${where}: ${name} is missing for the scope ${scope}`);
}

/** Claims of the scopes that are there, although userinfo is the place for them (OpenID Connect Core §5.4). */
export function claimsOutOfPlaceFaults(claims: Json, scope: string): string[] {
  return scope
    .split(' ')
    .filter((name) => name !== 'openid')
    .flatMap((name) => CLAIMS_OF_SCOPE[name] ?? [])
    .filter((name) => name in claims)
    .map((name) => `the ID token has ${name}, although an access token was issued`);
}
