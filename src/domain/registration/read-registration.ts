import { canonicalName } from '../users/names/canonical-name.js';
import { loginNameProblem, type LoginNameProblem } from '../users/names/login-name-problem.js';
import { emailProblem, type EmailProblem } from '../users/typed-email.js';
import type { RegistrationTerms } from './registration-policy.js';

/** What somebody typed; absent when a field was left empty. */
export interface TypedRegistration {
  readonly email?: string | undefined;
  /** Looked at only where it is asked for. */
  readonly loginName?: string | undefined;
}

export type RegistrationProblem = EmailProblem | 'email-not-available' | LoginNameProblem;

/** The fields of a registration that is fit to be held against what others have. */
export type RegistrationFields = Required<{ readonly [Field in keyof TypedRegistration]: string }>;

/** Reads the form. All problems are reported at once, in the order of the fields. */
export function readRegistration(
  typed: TypedRegistration,
  { requireLoginName }: RegistrationTerms,
): { readonly fields: RegistrationFields } | { readonly problems: readonly RegistrationProblem[] } {
  const email = (typed.email ?? '').trim();
  const loginName = requireLoginName ? (typed.loginName ?? '').trim() : email;
  const found = [
    emailProblem(email),
    // an address that is fit to be one is fit to be a name
    requireLoginName ? loginNameProblem(loginName, email) : undefined,
  ];
  const problems = found.filter((problem) => problem !== undefined);
  return problems.length > 0 ? { problems } : { fields: { email, loginName } };
}

/** A name that is the address is treated like the address: whether it is taken is revealed to its mailbox alone. */
export function isNamedByAddress({ email, loginName }: RegistrationFields): boolean {
  return canonicalName(loginName) === canonicalName(email);
}
