import { attributes, html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { form, submitButton, type FormView } from './form-parts.js';
import { pageLanguages } from './texts.js';

interface AccountLanguagePage extends AccountPage {
  readonly form: FormView;
  /** Of ours; undefined for what the browser asks for. */
  readonly language?: string | undefined;
}

/** The language of pages and mails. */
export function renderAccountLanguagePage(page: AccountLanguagePage): string {
  const { account } = page.texts;
  const { language: texts } = account;
  const select = attributes({ class: 'text', id: 'preferredLanguage', name: 'preferredLanguage' });
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    address: page.form.action,
    body: form(
      page.form,
      html`<div class="field">
          <label for="preferredLanguage">${texts.label}</label>
          <select${select}>
            <option${attributes({ value: '', selected: page.language === undefined })}>${texts.asBrowser}</option>
            ${pageLanguages.map(
              ({ tag, name }) =>
                html`<option${attributes({ value: tag, lang: tag, selected: tag === page.language })}>${name}</option>`,
            )}
          </select>
        </div>
        ${submitButton('language-submit', account.save, account.saving)}`,
    ),
  });
}
