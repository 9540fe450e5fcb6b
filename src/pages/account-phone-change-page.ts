import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import {
  errorSummary,
  fieldProblems,
  form,
  quietSubmitButton,
  submitButton,
  textField,
  type FormView,
} from './form-parts.js';
import type { PhoneProblem } from './problems.js';

interface AccountPhoneChangePage extends AccountPage {
  readonly form: FormView;
  /** As on file, or as typed before an error. */
  readonly phone?: string | undefined;
  readonly problem?: PhoneProblem | undefined;
  /** Else nothing here can send an SMS. */
  readonly sendsSms: boolean;
  /** Present where there is a number to remove. */
  readonly remove?: FormView | undefined;
}

const FIELD_OF: Readonly<Record<PhoneProblem, string>> = {
  'phone-missing': 'phone',
  'phone-not-valid': 'phone',
};

/** A first or another phone number. */
export function renderAccountPhoneChangePage(page: AccountPhoneChangePage): string {
  const { account } = page.texts;
  const { phone: texts } = account;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, texts.problems);
  const field = textField(
    {
      id: 'phone',
      label: texts.title,
      hint: texts.hint,
      type: 'tel',
      autocomplete: 'tel',
      inputmode: 'tel',
      value: page.phone,
      autofocus: problems.length === 0,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.changeTitle,
    lead: page.sendsSms ? undefined : texts.noProvider,
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(account.failed, problems),
      form(page.form, html`${field} ${submitButton('phone-submit', account.save, account.saving)}`),
      page.remove &&
        form(page.remove, quietSubmitButton('phone-remove', texts.removeNumber, account.removing)),
    ],
  });
}
