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
import { named, renderPage, type Page } from './layout.js';
import {
  hiddenLoginName,
  NEW_PASSWORD_FIELDS,
  newPasswordFields,
  type NewPasswordView,
} from './new-password-part.js';
import type { SetPasswordProblem } from './problems.js';
import { resendForm, sentAgainNotice, type Resend } from './resend-part.js';

export type { PasswordRules } from './new-password-part.js';

/** A code from a mail and a new password: what the first password and a forgotten one have in common. */
interface CodeAndPasswordPage extends Page, NewPasswordView {
  readonly form: FormView;
  /** From the mail's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problems?: readonly SetPasswordProblem[] | undefined;
}

export interface SetPasswordPage extends CodeAndPasswordPage, ShownAccount {
  readonly newCodeUrl?: string | undefined;
}

/** First password of an account: code from the mail, new password twice. */
export function renderSetPasswordPage(page: SetPasswordPage): string {
  const { setPassword: texts, code } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    lead: texts.lead.html({ organization: named(page.organization.name) }),
    hasProblem: hasProblem(page),
    address: formAddress(page.form, { ...page.form.hidden, code: page.code }),
    body: [
      accountBox(page, page.texts),
      codeAndPassword(page, page.loginName),
      ways(page.newCodeUrl !== undefined && wayLink(page.newCodeUrl, code.newCode)),
    ],
  });
}

export interface ResetPasswordPage extends CodeAndPasswordPage {
  /**
   * Only once the link of the mail proved that its reader may know the account. A page that somebody reached by
   * typing a name must not reveal whether there is such an account.
   */
  readonly account?: ShownAccount | undefined;
  readonly resend?: Resend | undefined;
}

/** A new password in place of a forgotten one. */
export function renderResetPasswordPage(page: ResetPasswordPage): string {
  const { resetPassword: texts } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    lead:
      page.account === undefined
        ? texts.lead
        : page.texts.setPassword.lead.html({ organization: named(page.organization.name) }),
    hasProblem: hasProblem(page),
    address: formAddress(page.form, {
      ...page.form.hidden,
      flow: page.form.flow,
      // the link of the mail has brought it; what was typed stays out of the history
      code: page.account === undefined ? undefined : page.code,
    }),
    body: [
      page.account && accountBox(page.account, page.texts),
      sentAgainNotice(page.resend, page.texts),
      codeAndPassword(page, page.account?.loginName),
      resendForm(page.resend, page.texts),
    ],
  });
}

const FIELD_OF: Readonly<Record<SetPasswordProblem, string>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  ...NEW_PASSWORD_FIELDS,
  'too-busy': 'newPassword',
  'too-many-attempts': 'code',
  'form-outdated': 'newPassword',
};

function hasProblem({ problems = [] }: CodeAndPasswordPage): boolean {
  return problems.length > 0;
}

/** Error summary and form. */
function codeAndPassword(page: CodeAndPasswordPage, loginName: string | undefined) {
  const { code: codeTexts, setPassword: texts, form: formTexts, newPassword } = page.texts;
  const problems = fieldProblems(page.problems ?? [], FIELD_OF, {
    ...formTexts.problems,
    ...codeTexts.problems,
    ...newPassword.problems,
  });
  const isCodeKnown = page.code !== undefined && page.code !== '';
  const isFresh = problems.length === 0;
  const codeField = textField(
    {
      id: 'code',
      label: formTexts.code,
      hint: codeTexts.hint,
      type: 'text',
      autocomplete: 'one-time-code',
      value: page.code,
      autofocus: isFresh && !isCodeKnown,
    },
    problems,
    page.texts,
  );
  return [
    errorSummary(texts.failed, problems),
    form(
      page.form,
      html`
        ${loginName !== undefined && hiddenLoginName(loginName)} ${codeField}
        ${newPasswordFields(page, problems, isFresh && isCodeKnown)}
        ${submitButton('password-submit', texts.submit, texts.busy)}
      `,
    ),
  ];
}
