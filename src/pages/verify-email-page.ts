import { html } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { codeForm } from './code-part.js';
import { formAddress, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { VerifyEmailProblem } from './problems.js';
import { resendForm, sentAgainNotice, type Resend } from './resend-part.js';
import { unbroken } from './unbroken.js';

interface VerifyEmailPage extends Page {
  readonly form: FormView;
  /** Whose the address becomes, shown masked. Anybody may have named it for an account of their own. */
  readonly loginName?: string | undefined;
  /** The address the code went to; the page shows it masked, since whoever has the link sees it. */
  readonly sentTo?: string | undefined;
  /** From the mail's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
  readonly newCodeUrl?: string | undefined;
}

/**
 * The code of the mail, filled in when the link brought it. The page asks for a press on the button even then:
 * mail scanners open links, and must not be the ones who verify.
 */
export function renderVerifyEmailPage(page: VerifyEmailPage): string {
  const { verifyEmail: texts, code } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    lead: whereTo(page),
    hasProblem: page.problem !== undefined,
    address: formAddress(page.form, { ...page.form.hidden, code: page.code }),
    body: [
      page.loginName !== undefined && [
        accountBox({ loginName: maskedName(page.loginName) }, page.texts),
        html`<p>${unbroken(texts.whose)}</p>`,
      ],
      codeForm(page, texts),
      ways(page.newCodeUrl !== undefined && wayLink(page.newCodeUrl, code.newCode)),
    ],
  });
}

interface VerificationNeededPage extends Page {
  readonly form: FormView;
  /** Who is signing in. */
  readonly account?: ShownAccount | undefined;
  /** Shown masked. */
  readonly sentTo?: string | undefined;
  /** What was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
  readonly resend?: Resend | undefined;
  /** Brings up a button "not now" that sends the form with `skip=true`. */
  readonly canSkip?: boolean | undefined;
  readonly otherAccountUrl?: string | undefined;
}

/** During a sign-in or a registration: the address must be verified before it continues. */
export function renderVerificationNeededPage(page: VerificationNeededPage): string {
  const { verifyEmail: texts, waysOn } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    lead: whereTo(page),
    hasProblem: page.problem !== undefined,
    address: formAddress(page.form, {
      flow: page.form.flow,
      ...page.form.hidden,
      // a link has brought it; what was typed stays out of the history
      code: page.problem === undefined ? page.code : undefined,
    }),
    body: [
      page.account && accountBox(page.account, page.texts),
      page.resend?.wasSent === true
        ? sentAgainNotice(page.resend, page.texts)
        : page.problem === undefined && html`<p>${unbroken(texts.why)}</p>`,
      codeForm(page, texts, page.canSkip === true ? skipButton(texts.later) : undefined),
      resendForm(page.resend, page.texts),
      ways(page.otherAccountUrl !== undefined && wayLink(page.otherAccountUrl, waysOn.otherAccount)),
    ],
  });
}

function whereTo({ sentTo, texts: { verifyEmail: texts } }: VerifyEmailPage) {
  return sentTo === undefined ? texts.lead : texts.sentTo.html({ address: named(maskedAddress(sentTo)) });
}

function skipButton(label: string) {
  return html`<button class="button quiet" type="submit" id="skip" name="skip" value="true">
    ${label}
  </button>`;
}

/** `ada.lovelace@example.com` as `a•••@example.com`: enough to know the mailbox by, too little to learn it. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '•••' : `${Array.from(address)[0] ?? ''}•••${address.slice(at)}`;
}

/** The same of a login name, which need not have an ending. */
export function maskedName(loginName: string): string {
  return loginName.lastIndexOf('@') < 1 ? `${Array.from(loginName)[0] ?? ''}•••` : maskedAddress(loginName);
}
