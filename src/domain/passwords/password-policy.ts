import { ApiError } from '../shared/errors.js';

/** What a new password must have. Characters are Unicode code points (NIST SP 800-63B §5.1.1.2). */
export interface PasswordPolicy {
  readonly minLength: number;
  readonly lowerCase: boolean;
  readonly upperCase: boolean;
  readonly number: boolean;
  readonly symbol: boolean;
}

export const defaultPasswordPolicy: PasswordPolicy = {
  minLength: 8,
  lowerCase: true,
  upperCase: true,
  number: true,
  symbol: true,
};

/** Passwords are hashed exactly as received, never shortened (ASVS 6.2.8), so the cap refuses longer ones. */
const longestPassword = 1024;

type PolicyRuleName = 'length' | 'lower-case' | 'upper-case' | 'number' | 'symbol';

/** `unguessable`, `unbreached`: what no policy can take away, see `users/new-passwords/new-passwords.ts`. */
export type PasswordRuleName = PolicyRuleName | 'unguessable' | 'unbreached';

interface RuleCheck {
  readonly name: PolicyRuleName;
  readonly asked: (policy: PasswordPolicy) => boolean;
  readonly holds: (password: string, policy: PasswordPolicy) => boolean;
}

/** In the order in which they are refused. */
const rules: readonly RuleCheck[] = [
  {
    name: 'length',
    asked: () => true,
    holds: (password, policy) => isAtLeast(policy.minLength, password),
  },
  {
    name: 'lower-case',
    asked: (policy) => policy.lowerCase,
    holds: (password) => /\p{Ll}/u.test(password),
  },
  {
    name: 'upper-case',
    asked: (policy) => policy.upperCase,
    holds: (password) => /\p{Lu}/u.test(password),
  },
  { name: 'number', asked: (policy) => policy.number, holds: (password) => /\p{N}/u.test(password) },
  {
    name: 'symbol',
    asked: (policy) => policy.symbol,
    holds: (password) => /[^\p{L}\p{M}\p{N}]/u.test(password),
  },
];

/** What an API says; the first five are protocol §1.4's. */
const REFUSALS: Readonly<Record<PasswordRuleName, readonly [text: string, id: string]>> = {
  length: ['Password is too short', 'DOMAIN-HuJf6'],
  'lower-case': ['Password must contain lower case', 'DOMAIN-co3Xw'],
  'upper-case': ['Password must contain upper case', 'DOMAIN-VoaRj'],
  number: ['Password must contain number', 'DOMAIN-ZBv4H'],
  symbol: ['Password must contain symbol', 'DOMAIN-ZDLwA'],
  unguessable: [
    'Password is easy to guess: a common one, or made of the name or address of its user',
    'DOMAIN-Gu3sA',
  ],
  unbreached: ['Password is known from a data breach', 'DOMAIN-Br3cK'],
};

/** Every rule of a policy that a password breaks, in their order. */
export function brokenRules(policy: PasswordPolicy, password: string): readonly PolicyRuleName[] {
  return rules.filter((rule) => rule.asked(policy) && !rule.holds(password, policy)).map(({ name }) => name);
}

export function passwordRefusal(broken: PasswordRuleName): ApiError {
  return new ApiError('invalid-argument', ...REFUSALS[broken]);
}

/** Throws ApiError `invalid-argument` for the first rule that a new password breaks. */
export function requirePasswordPolicy(policy: PasswordPolicy, password: string): void {
  requirePasswordText(password);
  const [broken] = brokenRules(policy, password);
  if (broken !== undefined) throw passwordRefusal(broken);
}

/** Throws ApiError `invalid-argument` for what no policy could make a password. */
export function requirePasswordText(password: string): void {
  requirePasswordLength(password);
  // An unpaired surrogate has no UTF-8 form: all of them would hash as the same replacement character.
  if (/\p{Cs}/u.test(password)) {
    throw new ApiError('invalid-argument', 'Password is not valid Unicode text', 'DOMAIN-uC5sr');
  }
}

/** Throws ApiError `invalid-argument` for a password that is past the cap. */
export function requirePasswordLength(password: string): void {
  if (!isTooLong(password)) return;
  const text = `Password is too long, at most ${longestPassword} characters`;
  throw new ApiError('invalid-argument', text, 'DOMAIN-mX7tL');
}

/** A code point has two UTF-16 units at most, so a huge text is known to be too long without counting. */
export function isTooLong(password: string): boolean {
  return password.length > 2 * longestPassword || Array.from(password).length > longestPassword;
}

function isAtLeast(length: number, password: string): boolean {
  return password.length >= length && Array.from(password).length >= length;
}
