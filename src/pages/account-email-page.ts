import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { codeForm } from './code-part.js';
import { form, quietSubmitButton, refusalBox, wayLink, ways, type FormView } from './form-parts.js';
import { named } from './layout.js';
import type { VerifyEmailProblem } from './problems.js';
import { resendForm, sendCodeForm, type Resend } from './resend-part.js';

export interface EmailCodeState {
  /** As typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | 'email-not-available' | undefined;
}

interface AccountEmailPage extends AccountPage, EmailCodeState {
  readonly form: FormView;
  /** The address that counts until then. */
  readonly present: string;
  readonly waiting: string;
  /** Else the last code has run out, and another one is wanted. */
  readonly isSent: boolean;
  readonly resend: Resend;
  /** Gives up the address that waits. */
  readonly keep: FormView;
  readonly changeUrl: string;
}

/** The code that went to the new address. The reader's own, so it is shown as it is. */
export function renderAccountEmailPage({ problem, ...page }: AccountEmailPage): string {
  const { verifyEmail, account } = page.texts;
  const { email: texts } = account;
  const isTaken = problem === 'email-not-available';
  const address = named(page.waiting);
  return renderAccountPage(page, {
    within: 'account',
    heading: verifyEmail.title,
    lead: page.isSent ? verifyEmail.sentTo.html({ address }) : texts.waits.html({ address }),
    hasProblem: problem !== undefined,
    address: page.form.action,
    body: [
      isTaken && refusalBox(verifyEmail.failed, texts.problems['email-not-available'].summary),
      html`<p>${texts.present.html({ address: named(page.present) })}</p>`,
      page.isSent
        ? [
            codeForm({ ...page, problem: isTaken ? undefined : problem }, verifyEmail),
            resendForm(page.resend, page.texts),
          ]
        : sendCodeForm(page.resend, page.texts),
      form(page.keep, quietSubmitButton('keep-submit', texts.keep, account.saving)),
      ways(wayLink(page.changeUrl, texts.other)),
    ],
  });
}
