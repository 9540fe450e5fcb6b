import { singleLine } from '../shared/display-text.js';
import { hasHidden, nameFault } from '../shared/hidden-characters.js';
import { canonicalName } from '../users/canonical-name.js';
import { isEmailAddress, isPlainAddress } from '../users/email-address.js';
import { isLongerThan } from '../users/text-rules.js';

/** What somebody typed; absent when a field was left empty. */
export interface TypedRegistration {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly loginName?: string | undefined;
}

export type RegistrationProblem =
  | 'first-name-missing'
  | 'first-name-too-long'
  | 'first-name-not-valid'
  | 'last-name-missing'
  | 'last-name-too-long'
  | 'last-name-not-valid'
  | 'email-missing'
  | 'email-not-valid'
  | 'email-not-available'
  | 'login-name-missing'
  | 'login-name-not-valid'
  | 'login-name-not-available';

/** The fields of a registration that is fit to be held against what others have. */
export type RegistrationFields = Required<{ readonly [Field in keyof TypedRegistration]: string }>;

const LONGEST_NAME = 200;
/** Compatibility forms can make a name 18 times as long; an index row of PostgreSQL holds 2.7 kB. */
const LONGEST_CANONICAL_BYTES = 1000;

/**
 * Reads the form. Names become one line without control characters (security S059), which a form field has none of unless
 * somebody put them there, and are refused with a character that nobody sees (S205). All problems are told at once, in the order of the fields.
 */
export function readRegistration(
  typed: TypedRegistration,
): { readonly fields: RegistrationFields } | { readonly problems: readonly RegistrationProblem[] } {
  const fields = {
    firstName: line(typed.firstName),
    lastName: line(typed.lastName),
    email: (typed.email ?? '').trim(),
    loginName: (typed.loginName ?? '').trim(),
  };
  const found = [
    nameProblem('first-name', fields.firstName, typed.firstName),
    nameProblem('last-name', fields.lastName, typed.lastName),
    emailProblem(fields.email),
    loginNameProblem(fields.loginName, fields.email),
  ];
  const problems = found.filter((problem) => problem !== undefined);
  return problems.length > 0 ? { problems } : { fields };
}

function line(text: string | undefined): string {
  return singleLine(text ?? '', Number.MAX_SAFE_INTEGER);
}

function nameProblem(
  field: 'first-name' | 'last-name',
  name: string,
  typed = '',
): RegistrationProblem | undefined {
  if (name === '') return `${field}-missing`;
  if (hasHidden(typed)) return `${field}-not-valid`;
  return isLongerThan(LONGEST_NAME, name) ? `${field}-too-long` : undefined;
}

function emailProblem(email: string): RegistrationProblem | undefined {
  if (email === '') return 'email-missing';
  return isEmailAddress(email) && isPlainAddress(email) ? undefined : 'email-not-valid';
}

/** A login name with an `@` is an address, so it must be the one whose mailbox is about to be proven. */
function loginNameProblem(loginName: string, email: string): RegistrationProblem | undefined {
  if (loginName === '') return 'login-name-missing';
  if (isLongerThan(LONGEST_NAME, loginName)) return 'login-name-not-valid';
  const canonical = canonicalName(loginName);
  const isFit =
    canonical !== '' &&
    !/\s/u.test(loginName) &&
    nameFault(loginName) === undefined &&
    Buffer.byteLength(canonical) <= LONGEST_CANONICAL_BYTES &&
    (!canonical.includes('@') || canonical === canonicalName(email));
  return isFit ? undefined : 'login-name-not-valid';
}
