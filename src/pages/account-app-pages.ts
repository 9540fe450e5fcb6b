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
import { newAppPart, type NewApp } from './new-app-part.js';
import type { CodeProblem, FormProblem } from './problems.js';

export interface AccountNewAppPage extends AccountPage, NewApp {
  readonly form: FormView;
  readonly problem?: CodeProblem | FormProblem | undefined;
}

const FIELD_OF: Readonly<Record<CodeProblem | FormProblem, string>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  'too-many-attempts': 'code',
  'form-outdated': 'code',
};

/** The secret for an app, as a QR code and as text, and the field for its first code. */
export function renderAccountNewAppPage(page: AccountNewAppPage): string {
  const { texts } = page;
  const { app } = texts.account;
  const { totp } = texts.secondFactor.kinds;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...texts.form.problems,
    ...totp.problems,
  });
  const code = textField(
    { id: 'code', label: totp.label, type: 'text', autocomplete: 'one-time-code', inputmode: 'numeric' },
    problems,
    texts,
  );
  return renderAccountPage(page, {
    within: 'security',
    heading: app.newTitle,
    lead: app.lead,
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(app.failed, problems),
      newAppPart(page, texts),
      form(page.form, [code, submitButton('app-submit', app.submit, texts.account.confirm.busy)]),
    ],
  });
}

interface AccountAppPage extends AccountPage {
  readonly anotherUrl: string;
  readonly remove: FormView;
}

/** An app that is set up: another one in its place, or none. */
export function renderAccountAppPage(page: AccountAppPage): string {
  const { app } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: app.title,
    lead: app.isSet,
    body: [
      html`<div class="choice">
        <a class="button" id="another-app" href="${page.anotherUrl}">${app.another}</a>
        <p class="hint">${app.anotherHint}</p>
      </div>`,
      form(
        page.remove,
        html`${quietSubmitButton('remove-app', app.remove, app.removing)}
          <p class="hint">${app.removeLead}</p>`,
      ),
    ],
  });
}
