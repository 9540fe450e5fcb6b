import { defaultPasswordPolicy, type PasswordRuleName } from '../../domain/passwords/password-policy.js';
import type { PasswordRules } from './pages/set-password-page.js';

const { minLength, upperCase, lowerCase, number, symbol } = defaultPasswordPolicy;

/** What pages say about a new password. */
export const PASSWORD_RULES: PasswordRules = { minLength, upperCase, lowerCase, number, symbol };

const RULE_FIELDS: Readonly<Record<PasswordRuleName, keyof PasswordRules>> = {
  length: 'minLength',
  'upper-case': 'upperCase',
  'lower-case': 'lowerCase',
  number: 'number',
  symbol: 'symbol',
};

/** Rules that a password missed, as pages mark them. */
export function unmetRules(missed: readonly PasswordRuleName[]): readonly (keyof PasswordRules)[] {
  return missed.map((rule) => RULE_FIELDS[rule]);
}
