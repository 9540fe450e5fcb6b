import { singleLine } from '../domain/shared/display-text.js';
import { html } from '../rendering/html.js';
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
  type TextField,
} from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import { NEW_PASSWORD_FIELDS, newPasswordField, type NewPasswordView } from './new-password-part.js';
import type { RegisterProblem } from './problems.js';

export interface RegisterPage extends Page, NewPasswordView {
  readonly form: FormView;
  readonly applicationName?: string | undefined;
  /** Whether a login name is chosen; otherwise the address is one. */
  readonly asksLoginName: boolean;
  /** The organization's primary domain, which ends every login name; without it the hint is left out. */
  readonly domain?: string | undefined;
  /** What was typed before an error; passwords are never given back. */
  readonly email?: string | undefined;
  readonly loginName?: string | undefined;
  /** In the order of the fields, as the summary lists them. */
  readonly problems?: readonly RegisterProblem[] | undefined;
  readonly signInUrl?: string | undefined;
}

const FIELD_OF: Readonly<Record<RegisterProblem, string>> = {
  'email-missing': 'email',
  'email-not-valid': 'email',
  'email-not-available': 'email',
  'login-name-missing': 'loginName',
  'login-name-not-valid': 'loginName',
  'login-name-not-available': 'loginName',
  ...NEW_PASSWORD_FIELDS,
  // the form has no such field any more, and programs may still send one
  'repeat-differs': 'newPassword',
  'too-busy': 'newPassword',
  'too-many-attempts': 'email',
  'form-outdated': 'email',
};

/** Somebody new makes an account of their own (`prompt=create`). */
export function renderRegisterPage(page: RegisterPage): string {
  const { register: texts, form: formTexts, newPassword, signIn } = page.texts;
  const problems = fieldProblems(page.problems ?? [], FIELD_OF, {
    ...formTexts.problems,
    ...newPassword.problems,
    ...texts.problems,
  });
  const loginName: TextField = {
    id: 'loginName',
    label: texts.loginName,
    hint: page.domain === undefined ? undefined : texts.loginNameHint.html({ domain: ending(page.domain) }),
    type: 'text',
    autocomplete: 'username',
    value: page.loginName?.slice(0, 500),
  };
  const fields: readonly TextField[] = [
    {
      id: 'email',
      label: formTexts.email,
      hint: texts.emailHint,
      type: 'email',
      inputmode: 'email',
      // where it is the login name, password managers keep the password under it
      autocomplete: page.asksLoginName ? 'email' : 'username',
      value: page.email?.slice(0, 500),
    },
    ...(page.asksLoginName ? [loginName] : []),
  ];
  return renderPage(page, {
    heading: texts.title,
    lead:
      page.applicationName === undefined
        ? undefined
        : signIn.continueTo.html({ application: named(page.applicationName) }),
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      errorSummary(texts.failed, problems),
      form(
        page.form,
        html`
          ${fields.map((field, index) =>
            textField({ ...field, autofocus: index === 0 && problems.length === 0 }, problems, page.texts),
          )}
          ${newPasswordField(page, problems, page.texts.form.password)}
          ${submitButton('register-submit', texts.submit, texts.busy)}
        `,
      ),
      ways(page.signInUrl !== undefined && wayLink(page.signInUrl, texts.haveAccount)),
    ],
  });
}

function ending(domain: string) {
  return html`<strong><bdi>@${singleLine(domain)}</bdi></strong>`;
}
