import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { form, submitButton, type FormView } from './form-parts.js';

interface AccountDataPage extends AccountPage {
  readonly form: FormView;
}

/** A copy of all that is kept about the reader, for themselves (GDPR, articles 15 and 20). */
export function renderAccountDataPage(page: AccountDataPage): string {
  const { data: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.state,
    address: page.form.action,
    body: [
      html`<p>${texts.contents}</p>`,
      form(page.form, submitButton('data-submit', texts.submit, texts.busy)),
    ],
  });
}
