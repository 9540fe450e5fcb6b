import { nameFault } from '../shared/hidden-characters.js';
import { canonicalName } from '../users/canonical-name.js';
import { isEmailAddress, isPlainAddress } from '../users/email-address.js';
import { isLongerThan } from '../users/text-rules.js';
import { nameLine, requiredNameProblem, type RequiredNameProblem } from '../users/typed-names.js';

/** What somebody typed; absent when a field was left empty. */
export interface TypedRegistration {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly loginName?: string | undefined;
}

export type RegistrationProblem =
  | RequiredNameProblem
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
 * Reads the form. All problems are told at once, in the order of the fields.
 */
export function readRegistration(
  typed: TypedRegistration,
): { readonly fields: RegistrationFields } | { readonly problems: readonly RegistrationProblem[] } {
  const fields = {
    firstName: nameLine(typed.firstName),
    lastName: nameLine(typed.lastName),
    email: (typed.email ?? '').trim(),
    loginName: (typed.loginName ?? '').trim(),
  };
  const found = [
    requiredNameProblem('first-name', fields.firstName, typed.firstName),
    requiredNameProblem('last-name', fields.lastName, typed.lastName),
    emailProblem(fields.email),
    loginNameProblem(fields.loginName, fields.email),
  ];
  const problems = found.filter((problem) => problem !== undefined);
  return problems.length > 0 ? { problems } : { fields };
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
