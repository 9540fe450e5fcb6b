import { html } from '../rendering/html.js';
import {
  errorSummary,
  fieldProblems,
  form,
  formAddress,
  linkButton,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { ForgottenPasswordProblem } from './problems.js';
import { resendForm, sentAgainNotice, type Resend } from './resend-part.js';
import { unbroken } from './unbroken.js';
import { maskedAddress } from './verify-email-page.js';

export interface ForgottenPasswordPage extends Page {
  readonly form: FormView;
  /** What was typed on the sign-in page, or before an error. */
  readonly loginName?: string | undefined;
  readonly problem?: ForgottenPasswordProblem | undefined;
  readonly signInUrl?: string | undefined;
}

const FIELD_OF: Readonly<Record<ForgottenPasswordProblem, string>> = {
  'login-name-missing': 'loginName',
  'too-many-attempts': 'loginName',
  'form-outdated': 'loginName',
};

/** Asks whose password it is. */
export function renderForgottenPasswordPage(page: ForgottenPasswordPage): string {
  const { forgottenPassword: texts, form: formTexts } = page.texts;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...formTexts.problems,
    ...texts.problems,
  });
  const loginName = textField(
    {
      id: 'loginName',
      label: formTexts.loginName,
      type: 'text',
      inputmode: 'email',
      autocomplete: 'username',
      value: page.loginName?.slice(0, 500),
      autofocus: problems.length === 0,
    },
    problems,
    page.texts,
  );
  return renderPage(page, {
    heading: texts.title,
    lead: texts.lead,
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      errorSummary(texts.failed, problems),
      form(page.form, html`${loginName} ${submitButton('reset-submit', texts.submit, texts.busy)}`),
      ways(page.signInUrl !== undefined && wayLink(page.signInUrl, texts.backToSignIn)),
    ],
  });
}

interface ResetSentPage extends Page {
  /** What was typed, never what was found by it; shown masked. */
  readonly loginName?: string | undefined;
  /** The page that takes the code and the new password. */
  readonly enterCodeUrl?: string | undefined;
  readonly resend?: Resend | undefined;
  readonly otherNameUrl?: string | undefined;
}

/** The one answer to every forgotten password, whether there is such an account or not (security S051). */
export function renderResetSentPage(page: ResetSentPage): string {
  const { resetSent: texts } = page.texts;
  return renderPage(page, {
    sign: 'mail',
    heading: texts.title,
    // the page itself is only shown after a form; this one follows it
    address: page.enterCodeUrl,
    body: [
      sentAgainNotice(page.resend, page.texts),
      html`<p>${unbroken(whereTo(page))}</p>`,
      page.enterCodeUrl !== undefined && linkButton(page.enterCodeUrl, texts.enterCode),
      resendForm(page.resend, page.texts),
      ways(page.otherNameUrl !== undefined && wayLink(page.otherNameUrl, texts.otherName)),
    ],
  });
}

function whereTo({ loginName, texts: { resetSent: texts } }: ResetSentPage) {
  return loginName === undefined
    ? texts.bodyWithoutName
    : texts.body.html({ account: named(maskedName(loginName)) });
}

/** A name without `@` keeps its first character only, as an address does. */
function maskedName(loginName: string): string {
  return loginName.includes('@') ? maskedAddress(loginName) : `${Array.from(loginName)[0] ?? ''}•••`;
}
