import { html } from '../rendering/html.js';
import { accountBox } from './account-part.js';
import { codeForm } from './code-part.js';
import { formAddress, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { VerifyEmailProblem } from './problems.js';
import { maskedName } from './verify-email-page.js';

interface VerifyPhonePage extends Page {
  readonly form: FormView;
  /** Whose the number becomes, shown masked. Anybody may have named it for an account of their own. */
  readonly loginName?: string | undefined;
  /** The number the code went to; the page shows it masked, since whoever has the link sees it. */
  readonly sentTo: string;
  /** From the message's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
}

/**
 * The code of the SMS, filled in when the link brought it. The page asks for a press on the button even then: phones
 * open links to show what is behind them, and must not be the ones who verify.
 */
export function renderVerifyPhonePage(page: VerifyPhonePage): string {
  const { verifyPhone: texts, verifyEmail: buttons } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    lead: texts.sentTo.html({ number: named(maskedNumber(page.sentTo)) }),
    hasProblem: page.problem !== undefined,
    address: formAddress(page.form, { ...page.form.hidden, code: page.code }),
    body: [
      page.loginName !== undefined && accountBox({ loginName: maskedName(page.loginName) }, page.texts),
      codeForm({ ...page, bySms: true }, { ...texts, submit: buttons.submit, busy: buttons.busy }),
    ],
  });
}

interface PhoneVerifiedPage extends Page {
  /** Shown masked. */
  readonly number: string;
}

export function renderPhoneVerifiedPage(page: PhoneVerifiedPage): string {
  const { phoneVerified: texts, emailVerified: common } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.title,
    body: [
      html`<p>${texts.body.html({ number: named(maskedNumber(page.number)) })}</p>`,
      html`<p class="lead">${common.closeWindow}</p>`,
    ],
  });
}

/** `+41791234567` as `+41•••67`: enough to know the phone by, too little to learn its number. */
export function maskedNumber(number: string): string {
  return `${number.slice(0, 3)}•••${number.slice(-2)}`;
}
