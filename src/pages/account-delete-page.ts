import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { errorSummary, fieldProblems, form, refusalBox, textField, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { DeletionRefusal } from './problems.js';

export interface AccountDeletePage extends AccountPage, ShownAccount {
  readonly form: FormView;
  /** What has to be typed. */
  readonly userName: string;
  readonly problem?: 'name-differs' | undefined;
  readonly refusal?: DeletionRefusal | undefined;
}

/** The end of an account, by its owner's wish: what goes is said before, and the name must be typed. */
export function renderAccountDeletePage(page: AccountDeletePage): string {
  const { delete: texts } = page.texts.account;
  const problems = fieldProblems(
    page.problem === undefined ? [] : [page.problem],
    { 'name-differs': 'confirmation' },
    texts.problems,
  );
  const field = textField(
    {
      id: 'confirmation',
      label: texts.confirm,
      hint: texts.hint.html({ name: named(page.userName) }),
      type: 'text',
      autocomplete: 'off',
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.state,
    hasProblem: page.problem !== undefined || page.refusal !== undefined,
    address: page.form.action,
    body: [
      accountBox(page, page.texts),
      page.refusal !== undefined && refusalBox(texts.failed, texts.refusals[page.refusal]),
      errorSummary(texts.failed, problems),
      html`<p>${texts.what}</p>`,
      form(
        page.form,
        html`${field}
          <button class="button danger" type="submit" id="delete-submit" data-busy="${texts.busy}">
            ${texts.submit}
          </button>`,
      ),
    ],
  });
}

/** It is gone; nothing is left to go to. */
export function renderAccountDeletedPage(page: Page): string {
  const { delete: texts } = page.texts.account;
  return renderPage(page, {
    sign: 'done',
    heading: texts.doneTitle,
    // asked for again there is nobody to show it to
    address: '/account',
    body: html`<p>${texts.doneBody}</p>`,
  });
}
