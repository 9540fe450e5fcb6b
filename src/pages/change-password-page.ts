import { html } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  formAddress,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { renderPage, type Page } from './layout.js';
import {
  hiddenLoginName,
  NEW_PASSWORD_FIELDS,
  newPasswordFields,
  type NewPasswordView,
} from './new-password-part.js';
import type { ChangePasswordProblem, ChangePasswordReason } from './problems.js';

export interface ChangePasswordPage extends Page, NewPasswordView, ShownAccount {
  readonly form: FormView;
  readonly reason: ChangePasswordReason;
  readonly problems?: readonly ChangePasswordProblem[] | undefined;
  readonly forgottenPasswordUrl?: string | undefined;
  readonly otherAccountUrl?: string | undefined;
}

const FIELD_OF: Readonly<Record<ChangePasswordProblem, string>> = {
  'current-missing': 'password',
  'current-wrong': 'password',
  'password-unchanged': 'newPassword',
  ...NEW_PASSWORD_FIELDS,
  'too-busy': 'password',
  'too-many-attempts': 'password',
  'form-outdated': 'password',
};

/** The password one has for another: because it expired, or because somebody else chose it. */
export function renderChangePasswordPage(page: ChangePasswordPage): string {
  return renderPage(page, {
    heading: page.texts.changePassword.title,
    lead: page.texts.changePassword.reasons[page.reason],
    ...changePasswordContent(page),
  });
}

/** What stands below the heading, in the middle of a sign-in as on the account pages. */
export function changePasswordContent(page: Omit<ChangePasswordPage, 'reason'>) {
  const { changePassword: texts, form: formTexts, newPassword, signIn, waysOn } = page.texts;
  const problems = fieldProblems(page.problems ?? [], FIELD_OF, {
    ...formTexts.problems,
    ...newPassword.problems,
    ...texts.problems,
  });
  const current = textField(
    {
      id: 'password',
      label: texts.currentPassword,
      type: 'password',
      autocomplete: 'current-password',
      autofocus: problems.length === 0,
    },
    problems,
    page.texts,
  );
  return {
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      accountBox(page, page.texts),
      errorSummary(texts.failed, problems),
      form(
        page.form,
        html`
          ${hiddenLoginName(page.loginName)} ${current} ${newPasswordFields(page, problems)}
          ${submitButton('password-submit', texts.submit, texts.busy)}
        `,
      ),
      ways(
        page.forgottenPasswordUrl !== undefined &&
          wayLink(page.forgottenPasswordUrl, signIn.forgottenPassword),
        page.otherAccountUrl !== undefined && wayLink(page.otherAccountUrl, waysOn.otherAccount),
      ),
    ],
  };
}
