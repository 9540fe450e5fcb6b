import type { CodeFactorKind } from '../domain/policies/factor-policy.js';
import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { codeForm } from './code-part.js';
import { form, refusalBox, type FormView } from './form-parts.js';
import type { VerifyEmailProblem } from './problems.js';
import { resendForm, sendCodeForm, type Resend } from './resend-part.js';
import { maskedTarget, sentCodeProblems, sentTo } from './sent-to-part.js';

export interface AccountCodesPage extends AccountPage {
  readonly kind: CodeFactorKind;
  /** Where the codes go; shown masked. */
  readonly target: string;
  readonly form: FormView;
  /** A code is under way. */
  readonly isSent: boolean;
  readonly resend: Resend;
  readonly problem?: VerifyEmailProblem | undefined;
  /** None could be sent. */
  readonly wasRefused: boolean;
  /** Where they are turned on: turns them off. */
  readonly remove?: FormView | undefined;
}

/** Codes by e-mail or SMS: turned on by one that arrived, or off. */
export function renderAccountCodesPage(page: AccountCodesPage): string {
  return page.remove === undefined ? turnOn(page) : turnOff(page, page.remove);
}

function turnOn(page: AccountCodesPage): string {
  const { kind, target, isSent, resend, texts } = page;
  const { codes, phone, saving } = texts.account;
  const asksFor = {
    failed: codes.failed,
    submit: codes.submit,
    busy: saving,
    problems: sentCodeProblems(kind, texts),
  };
  const again = kind === 'sms' ? { ...resend, notArrived: phone.notArrived } : resend;
  return renderAccountPage(page, {
    within: 'security',
    heading: codes.title[kind],
    lead: isSent ? sentTo(kind, target, texts) : codes.lead.html({ target: maskedTarget(kind, target) }),
    hasProblem: page.problem !== undefined || page.wasRefused,
    address: page.form.action,
    body: [
      page.wasRefused && refusalBox(codes.failed, texts.secondFactor.notSentAlone),
      isSent && codeForm({ ...page, bySms: kind === 'sms' }, asksFor),
      isSent ? resendForm(again, texts) : sendCodeForm(resend, texts),
    ],
  });
}

function turnOff(page: AccountCodesPage, remove: FormView): string {
  const { codes } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: codes.title[page.kind],
    lead: codes.isSet.html({ target: maskedTarget(page.kind, page.target) }),
    body: form(
      remove,
      html`<button class="button quiet" type="submit" id="remove-codes" data-busy="${codes.removing}">
          ${codes.remove}
        </button>
        <p class="hint">${codes.removeLead}</p>`,
    ),
  });
}
