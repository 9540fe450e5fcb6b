import {
  passwordRules,
  requirePasswordPolicy,
  type PasswordPolicy,
  type PasswordRuleName,
} from '../passwords/password-policy.js';
import { ApiError } from '../shared/errors.js';

/** Every rule that a new password misses, for a page that marks them all; the policy itself names the first. */
export function missedPasswordRules(policy: PasswordPolicy, password: string): readonly PasswordRuleName[] {
  return passwordRules(policy)
    .map((rule) => rule.name)
    .filter((name) => !satisfies(onlyRule(policy, name), password));
}

function onlyRule(policy: PasswordPolicy, name: PasswordRuleName): PasswordPolicy {
  return {
    minLength: name === 'length' ? policy.minLength : 0,
    lowerCase: policy.lowerCase && name === 'lower-case',
    upperCase: policy.upperCase && name === 'upper-case',
    number: policy.number && name === 'number',
    symbol: policy.symbol && name === 'symbol',
  };
}

function satisfies(policy: PasswordPolicy, password: string): boolean {
  try {
    requirePasswordPolicy(policy, password);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
