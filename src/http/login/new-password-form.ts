import { defaultPasswordPolicy, type PasswordRuleName } from '../../domain/passwords/password-policy.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import type { PasswordRules } from './pages/new-password-part.js';
import type { CodeProblem, NewPasswordProblem } from './texts/texts.js';

/** What forms with a new password have in common: the rules they show, and what they find missing. */
const { minLength, upperCase, lowerCase, number, symbol } = defaultPasswordPolicy;
export const PASSWORD_RULES: PasswordRules = { minLength, upperCase, lowerCase, number, symbol };

const RULE_FIELDS: Readonly<Record<PasswordRuleName, keyof PasswordRules>> = {
  length: 'minLength',
  'upper-case': 'upperCase',
  'lower-case': 'lowerCase',
  number: 'number',
  symbol: 'symbol',
};

/** The refusal of a new password as a page shows it. */
export interface RefusedPassword {
  readonly problems: readonly NewPasswordProblem[];
  readonly unmet?: readonly (keyof PasswordRules)[];
}

export function refusedPassword(
  result:
    | { readonly kind: 'password-too-long' }
    | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] },
): RefusedPassword {
  return result.kind === 'password-too-long'
    ? { problems: ['password-too-long'] }
    : { problems: ['password-too-weak'], unmet: result.unmet.map((rule) => RULE_FIELDS[rule]) };
}

export function missingPassword(form: OAuthParameters): readonly NewPasswordProblem[] {
  const password = form.get('newPassword');
  if (password === undefined) return ['password-missing'];
  return form.get('repeatPassword') === password ? [] : ['repeat-differs'];
}

export function missingCodeOrPassword(form: OAuthParameters): readonly (CodeProblem | NewPasswordProblem)[] {
  return [...(form.has('code') ? [] : (['code-missing'] as const)), ...missingPassword(form)];
}
