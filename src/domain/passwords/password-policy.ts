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

export type PasswordRuleName = 'length' | 'lower-case' | 'upper-case' | 'number' | 'symbol';

/** A rule as the page shows it: the name is the key for translations and live marks, the text is English. */
export interface PasswordRule {
  readonly name: PasswordRuleName;
  readonly text: string;
}

interface RuleCheck {
  readonly name: PasswordRuleName;
  readonly asked: (policy: PasswordPolicy) => boolean;
  readonly holds: (password: string, policy: PasswordPolicy) => boolean;
  readonly text: (policy: PasswordPolicy) => string;
  readonly refusal: string;
  readonly id: string;
}

/** In the order in which they are shown and refused; texts and ids of the refusals are protocol §1.4's. */
const rules: readonly RuleCheck[] = [
  {
    name: 'length',
    asked: () => true,
    holds: (password, policy) => isAtLeast(policy.minLength, password),
    text: (policy) => `At least ${policy.minLength} characters`,
    refusal: 'Password is too short',
    id: 'DOMAIN-HuJf6',
  },
  {
    name: 'lower-case',
    asked: (policy) => policy.lowerCase,
    holds: (password) => /\p{Ll}/u.test(password),
    text: () => 'A lower-case letter',
    refusal: 'Password must contain lower case',
    id: 'DOMAIN-co3Xw',
  },
  {
    name: 'upper-case',
    asked: (policy) => policy.upperCase,
    holds: (password) => /\p{Lu}/u.test(password),
    text: () => 'An upper-case letter',
    refusal: 'Password must contain upper case',
    id: 'DOMAIN-VoaRj',
  },
  {
    name: 'number',
    asked: (policy) => policy.number,
    holds: (password) => /\p{N}/u.test(password),
    text: () => 'A number',
    refusal: 'Password must contain number',
    id: 'DOMAIN-ZBv4H',
  },
  {
    name: 'symbol',
    asked: (policy) => policy.symbol,
    holds: (password) => /[^\p{L}\p{M}\p{N}]/u.test(password),
    text: () => 'A symbol',
    refusal: 'Password must contain symbol',
    id: 'DOMAIN-ZDLwA',
  },
];

/** The rules of a policy for the page that asks for a new password. */
export function passwordRules(policy: PasswordPolicy): readonly PasswordRule[] {
  return rules
    .filter((rule) => rule.asked(policy))
    .map((rule) => ({ name: rule.name, text: rule.text(policy) }));
}

/** Throws ApiError `invalid-argument` for the first rule that a new password breaks. */
export function requirePasswordPolicy(policy: PasswordPolicy, password: string): void {
  requirePasswordLength(password);
  // An unpaired surrogate has no UTF-8 form: all of them would hash as the same replacement character.
  if (/\p{Cs}/u.test(password)) {
    throw new ApiError('invalid-argument', 'Password is not valid Unicode text', 'DOMAIN-uC5sr');
  }
  const broken = rules.find((rule) => rule.asked(policy) && !rule.holds(password, policy));
  if (broken !== undefined) throw new ApiError('invalid-argument', broken.refusal, broken.id);
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
