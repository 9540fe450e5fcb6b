import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { errorSummary, fieldProblems, form, submitButton, textField, type FormView } from './form-parts.js';
import { named } from './layout.js';
import type { EmailChangeProblem } from './problems.js';

interface AccountEmailChangePage extends AccountPage {
  readonly form: FormView;
  readonly present: string;
  /** As typed before an error. */
  readonly email?: string | undefined;
  readonly problem?: EmailChangeProblem | undefined;
}

const FIELD_OF: Readonly<Record<EmailChangeProblem, string>> = {
  'email-missing': 'email',
  'email-not-valid': 'email',
  'email-unchanged': 'email',
};

/** Another address, which counts once its code came back. */
export function renderAccountEmailChangePage(page: AccountEmailChangePage): string {
  const { account } = page.texts;
  const { email: texts } = account;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, texts.problems);
  const field = textField(
    {
      id: 'email',
      label: texts.new,
      hint: texts.hint,
      type: 'email',
      autocomplete: 'email',
      inputmode: 'email',
      value: page.email,
      autofocus: problems.length === 0,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.changeTitle,
    lead: texts.present.html({ address: named(page.present) }),
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(account.failed, problems),
      form(
        page.form,
        html`${field} ${submitButton('email-submit', account.sendCode, page.texts.code.sendAgainBusy)}`,
      ),
    ],
  });
}
