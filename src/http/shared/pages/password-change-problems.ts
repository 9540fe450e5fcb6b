import type { PreparedPasswordChange } from '../../../domain/accounts/change-password.js';
import type { OAuthParameters } from '../../../domain/shared/oauth-parameters.js';
import type { PasswordRules } from '../../../pages/new-password-part.js';
import type { ChangePasswordProblem } from '../../../pages/problems.js';
import { unmetRules } from './password-rules.js';

/** What the forms that ask for the present password and another one have in common. */

export interface RefusedChange {
  readonly problems: readonly ChangePasswordProblem[];
  readonly unmet?: readonly (keyof PasswordRules)[];
}

export function missingInChange(form: OAuthParameters): readonly ChangePasswordProblem[] {
  const next = form.get('newPassword');
  const problems: ChangePasswordProblem[] = [];
  if (!form.has('password')) problems.push('current-missing');
  if (next === undefined) problems.push('password-missing');
  else if (form.get('repeatPassword') !== next) problems.push('repeat-differs');
  return problems;
}

export function refusedChange(change: Exclude<PreparedPasswordChange, { kind: 'ready' }>): RefusedChange {
  return change.kind === 'password-too-weak'
    ? { problems: [change.kind], unmet: unmetRules(change.unmet) }
    : { problems: [change.kind] };
}
