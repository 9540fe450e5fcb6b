import { renderAccountPage, type AccountPage } from './account-layout.js';
import { codeForm } from './code-part.js';
import { refusalBox, wayLink, ways, type FormView } from './form-parts.js';
import { named } from './layout.js';
import type { VerifyEmailProblem } from './problems.js';
import { resendForm, sendCodeForm, type Resend } from './resend-part.js';

export interface PhonePageState {
  /** As typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
  /** Why no SMS was sent. */
  readonly refusal?: 'refused' | 'tooManySms' | undefined;
}

interface AccountPhonePage extends AccountPage, PhonePageState {
  readonly form: FormView;
  readonly number: string;
  /** A code is under way. */
  readonly isSent: boolean;
  /** Undefined where nothing can send an SMS. */
  readonly resend?: Resend | undefined;
  readonly changeUrl: string;
}

/** The code of the SMS, which telephones fill in by themselves. */
export function renderAccountPhonePage(page: AccountPhonePage): string {
  const { verifyPhone, verifyEmail, account } = page.texts;
  const { phone: texts } = account;
  const number = named(page.number);
  return renderAccountPage(page, {
    within: 'account',
    heading: verifyPhone.title,
    lead: page.isSent ? verifyPhone.sentTo.html({ number }) : texts.notVerified.html({ number }),
    hasProblem: page.problem !== undefined || page.refusal !== undefined,
    address: page.form.action,
    body: [
      page.refusal !== undefined && refusalBox(verifyPhone.failed, texts[page.refusal]),
      page.isSent &&
        codeForm(
          { ...page, bySms: true },
          { ...verifyPhone, submit: verifyEmail.submit, busy: verifyEmail.busy },
        ),
      page.resend === undefined
        ? texts.noProvider
        : page.isSent
          ? resendForm({ ...page.resend, notArrived: texts.notArrived }, page.texts)
          : sendCodeForm(page.resend, page.texts),
      ways(wayLink(page.changeUrl, texts.other)),
    ],
  });
}
