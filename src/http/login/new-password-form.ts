import type { PasswordRuleName } from '../../domain/passwords/password-policy.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import type { PasswordRules } from '../../pages/new-password-part.js';
import type { CodeProblem, NewPasswordProblem } from '../../pages/problems.js';
import { unmetRules } from '../shared/pages/password-rules.js';

/** What forms with a new password have in common: what they find missing, and how a refusal reads. */

/** The refusal of a new password as a page shows it. */
interface RefusedPassword {
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
    : { problems: ['password-too-weak'], unmet: unmetRules(result.unmet) };
}

function missingPassword(form: OAuthParameters): readonly NewPasswordProblem[] {
  const password = form.get('newPassword');
  if (password === undefined) return ['password-missing'];
  return form.get('repeatPassword') === password ? [] : ['repeat-differs'];
}

/** Of a form that asks for it once: where the page can show what is typed, typing it twice proves nothing more. */
export function missingNewPassword(form: OAuthParameters): readonly NewPasswordProblem[] {
  // programs that fill in what the form had before are held to it
  return form.has('repeatPassword')
    ? missingPassword(form)
    : form.has('newPassword')
      ? []
      : ['password-missing'];
}

export function missingCodeOrPassword(form: OAuthParameters): readonly (CodeProblem | NewPasswordProblem)[] {
  return [...(form.has('code') ? [] : (['code-missing'] as const)), ...missingPassword(form)];
}
