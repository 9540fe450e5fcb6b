import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { form, linkButton, submitButton, type FormView } from './form-parts.js';

export interface AccountRecoveryCodesPage extends AccountPage {
  readonly form: FormView;
  /** How many are left. */
  readonly left: number;
}

/** How many there are, and the button that makes others. */
export function renderAccountRecoveryCodesPage(page: AccountRecoveryCodesPage): string {
  const { recoveryCodes: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: texts.title,
    lead: texts.lead,
    body: [
      html`<p>${texts.left({ count: page.left })}</p>`,
      form(page.form, [
        submitButton('make-codes', texts.make, texts.making),
        page.left > 0 && html`<p class="hint">${texts.replaces}</p>`,
      ]),
    ],
  });
}

export interface AccountMadeCodesPage extends AccountPage {
  readonly codes: readonly string[];
  /** Where asking again leads: never to the codes. */
  readonly address: string;
  readonly nextUrl: string;
}

/** The codes, this once: nobody can read them again. */
export function renderAccountMadeCodesPage(page: AccountMadeCodesPage): string {
  const { recoveryCodes: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: texts.shownTitle,
    lead: texts.keep,
    address: page.address,
    body: [
      html`<ol class="codes" translate="no">
        ${page.codes.map((code) => html`<li>${code}</li>`)}
      </ol>`,
      linkButton(page.nextUrl, texts.kept),
    ],
  });
}
