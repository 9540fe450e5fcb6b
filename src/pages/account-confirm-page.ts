import { html, type Html, type HtmlValue } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { codeForm } from './code-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  quietSubmitButton,
  refusalBox,
  submitButton,
  textField,
  wayLink,
  ways,
  type FieldProblem,
  type FormView,
} from './form-parts.js';
import { named } from './layout.js';
import { hiddenLoginName } from './new-password-part.js';
import type { ConfirmProblem, VerifyEmailProblem } from './problems.js';
import { resendForm, sendCodeForm, type Resend } from './resend-part.js';
import { maskedTarget, sentCodeProblems, sentTo } from './sent-to-part.js';

type ProviderProblem = 'idp-refused' | 'idp-unavailable';

export interface AccountConfirmPage extends AccountPage, ShownAccount {
  /** Undefined for whoever has no password. */
  readonly form: FormView | undefined;
  /** Those that know the reader. */
  readonly providers: readonly { readonly name: string; readonly form: FormView }[];
  /** For whoever has nothing else to show here. */
  readonly mail: MailedCode | undefined;
  readonly problem?: ConfirmProblem | VerifyEmailProblem | ProviderProblem | undefined;
  /** A fresh sign-in, in any way, is as good a proof. */
  readonly signInUrl: string;
  /** The sign-in of an application that the reader came from; undefined for whoever came from the account. */
  readonly flowUrl?: string | undefined;
  readonly address: string;
}

/** A code that goes to the reader's mailbox. */
interface MailedCode {
  /** Shown masked. */
  readonly target: string;
  readonly isSent: boolean;
  readonly form: FormView;
  readonly resend: Resend;
  /** None could be sent. */
  readonly wasRefused: boolean;
  /** Nothing is set up that sends mails: none is offered. */
  readonly cannotBeSent: boolean;
}

const FIELD_OF: Readonly<Record<ConfirmProblem, string>> = {
  'current-missing': 'password',
  'current-wrong': 'password',
  'too-busy': 'password',
  'too-many-attempts': 'password',
  'form-outdated': 'password',
};

/** Who the reader is, once more, because the last proof is too long ago for what comes next. */
export function renderAccountConfirmPage(page: AccountConfirmPage): string {
  const { mail, texts } = page;
  const { account, changePassword, form: formTexts, signIn } = texts;
  const refusal = isOfProvider(page.problem) ? page.problem : undefined;
  const isSent = mail?.isSent === true;
  const typed =
    mail === undefined && page.problem !== undefined && page.problem in FIELD_OF
      ? (page.problem as ConfirmProblem)
      : undefined;
  const problems = fieldProblems(typed === undefined ? [] : [typed], FIELD_OF, {
    ...formTexts.problems,
    ...changePassword.problems,
  });
  return renderAccountPage(page, {
    within: 'account',
    back:
      page.flowUrl === undefined
        ? undefined
        : { url: page.flowUrl, label: texts.forgottenPassword.backToSignIn },
    heading: account.confirm.title,
    lead: isSent ? sentTo('email', mail.target, texts) : account.confirm.lead,
    hasProblem: page.problem !== undefined || mail?.wasRefused === true,
    address: page.address,
    body: [
      accountBox(page, texts),
      refusal === undefined
        ? errorSummary(account.confirm.failed, problems)
        : refusalBox(account.confirm.failed, signIn.problems[refusal]),
      page.form && passwordForm(page, page.form, problems, refusal === undefined),
      isSent && sentCode(page, mail),
      providerForms(page),
      mail !== undefined && !isSent && sendCode(page, mail),
      // where a mailed code is a way in, whoever signs in again is no better off
      (mail === undefined || isWithoutMail(mail)) &&
        ways(wayLink(page.signInUrl, account.confirm.signInAgain)),
    ],
  });
}

function passwordForm(
  { loginName, texts }: AccountConfirmPage,
  view: FormView,
  problems: readonly FieldProblem[],
  takesFocus: boolean,
): Html {
  const { confirm } = texts.account;
  const password = textField(
    {
      id: 'password',
      label: texts.form.password,
      type: 'password',
      autocomplete: 'current-password',
      autofocus: problems.length === 0 && takesFocus,
    },
    problems,
    texts,
  );
  return form(view, [
    hiddenLoginName(loginName),
    password,
    submitButton('confirm-submit', confirm.submit, confirm.busy),
  ]);
}

function providerForms({ providers, texts }: AccountConfirmPage): readonly Html[] {
  return providers.map((provider, index) =>
    form(
      provider.form,
      quietSubmitButton(
        `confirm-provider-${index + 1}`,
        texts.signIn.continueWith.html({ provider: named(provider.name) }),
        texts.account.identities.connecting,
      ),
    ),
  );
}

function isWithoutMail({ isSent, cannotBeSent }: MailedCode): boolean {
  return cannotBeSent && !isSent;
}

function sendCode({ providers, texts }: AccountConfirmPage, mail: MailedCode): HtmlValue {
  const { target, resend, wasRefused } = mail;
  if (isWithoutMail(mail)) {
    return providers.length === 0 && html`<p id="no-mail">${texts.account.confirm.noMail}</p>`;
  }
  return [
    wasRefused && refusalBox(texts.account.codes.failed, texts.secondFactor.notSentAlone),
    html`<p>${texts.account.confirm.byMail.html({ address: maskedTarget('email', target) })}</p>`,
    sendCodeForm(resend, texts),
  ];
}

function sentCode({ problem, texts }: AccountConfirmPage, mail: MailedCode): HtmlValue {
  const { busy, failed, submit } = texts.account.confirm;
  const asksFor = { failed, submit, busy, problems: sentCodeProblems('email', texts) };
  return [
    codeForm({ form: mail.form, problem: isOfCode(problem) ? problem : undefined, texts }, asksFor),
    resendForm(mail.resend, texts),
  ];
}

function isOfProvider(problem: AccountConfirmPage['problem']): problem is ProviderProblem {
  return problem === 'idp-refused' || problem === 'idp-unavailable';
}

/** Everything that is no problem of a password or a provider. */
function isOfCode(problem: AccountConfirmPage['problem']): problem is VerifyEmailProblem {
  return problem !== undefined && !isOfProvider(problem) && !/^current-|^too-busy$/.test(problem);
}
