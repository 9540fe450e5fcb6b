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
  type FormView,
} from './form-parts.js';
import { named } from './layout.js';
import { hiddenLoginName } from './new-password-part.js';
import type { ConfirmProblem, VerifyEmailProblem } from './problems.js';
import { resendForm, sendCodeForm, type Resend } from './resend-part.js';
import { maskedTarget, sentCodeProblems, sentTo } from './sent-to-part.js';

export interface AccountConfirmPage extends AccountPage, ShownAccount {
  /** Undefined for whoever has no password. */
  readonly form: FormView | undefined;
  /** Those that know the reader. */
  readonly providers: readonly { readonly name: string; readonly form: FormView }[];
  /** For whoever has nothing else to show. */
  readonly mail: MailedCode | undefined;
  readonly problem?: ConfirmProblem | VerifyEmailProblem | 'idp-refused' | undefined;
  /** Signing in anew is as good a proof, by whatever ways there are. */
  readonly signInUrl: string;
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
  return page.mail === undefined ? renderProofs(page) : renderMail(page, page.mail);
}

function renderMail(page: AccountConfirmPage, mail: MailedCode): string {
  const { texts } = page;
  const { confirm, codes } = texts.account;
  const { isSent, target, resend, wasRefused } = mail;
  const problem = isOfCode(page.problem) ? page.problem : undefined;
  const asksFor = {
    failed: confirm.failed,
    submit: confirm.submit,
    busy: confirm.busy,
    problems: sentCodeProblems('email', texts),
  };
  return renderAccountPage(page, {
    within: 'account',
    heading: confirm.title,
    lead: isSent
      ? sentTo('email', target, texts)
      : codes.lead.html({ target: maskedTarget('email', target) }),
    hasProblem: problem !== undefined || wasRefused,
    address: page.address,
    body: [
      accountBox(page, texts),
      wasRefused && refusalBox(codes.failed, texts.secondFactor.notSentAlone),
      isSent && codeForm({ form: mail.form, problem, texts }, asksFor),
      isSent ? resendForm(resend, texts) : sendCodeForm(resend, texts),
    ],
  });
}

/** Everything that is no problem of a password or a provider. */
function isOfCode(problem: AccountConfirmPage['problem']): problem is VerifyEmailProblem {
  return problem !== undefined && problem !== 'idp-refused' && !/^current-|^too-busy$/.test(problem);
}

function renderProofs(page: AccountConfirmPage): string {
  const { form: formTexts, changePassword, signIn, account } = page.texts;
  const { confirm: texts } = account;
  const isRefused = page.problem === 'idp-refused';
  const typed =
    page.problem !== undefined && page.problem in FIELD_OF ? (page.problem as ConfirmProblem) : undefined;
  const problems = fieldProblems(typed === undefined ? [] : [typed], FIELD_OF, {
    ...formTexts.problems,
    ...changePassword.problems,
  });
  const password = textField(
    {
      id: 'password',
      label: formTexts.password,
      type: 'password',
      autocomplete: 'current-password',
      autofocus: problems.length === 0 && !isRefused,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    hasProblem: isRefused || problems.length > 0,
    address: page.address,
    body: [
      accountBox(page, page.texts),
      isRefused
        ? refusalBox(texts.failed, signIn.problems['idp-refused'])
        : errorSummary(texts.failed, problems),
      page.form &&
        form(page.form, [
          hiddenLoginName(page.loginName),
          password,
          submitButton('confirm-submit', texts.submit, texts.busy),
        ]),
      page.providers.map((provider, index) =>
        form(
          provider.form,
          quietSubmitButton(
            `confirm-provider-${index + 1}`,
            signIn.continueWith.html({ provider: named(provider.name) }),
            account.identities.connecting,
          ),
        ),
      ),
      ways(wayLink(page.signInUrl, texts.signInAgain)),
    ],
  });
}
