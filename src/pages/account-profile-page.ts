import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import {
  errorSummary,
  fieldProblems,
  form,
  submitButton,
  textField,
  type FormView,
  type TextField,
} from './form-parts.js';
import type { ProfileProblem } from './problems.js';

export interface AccountProfilePage extends AccountPage {
  readonly form: FormView;
  /** As on file, or as typed before an error. */
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** Only one that was chosen: without it first and last name are shown. */
  readonly displayName?: string | undefined;
  readonly problems?: readonly ProfileProblem[] | undefined;
}

const FIELD_OF: Readonly<Record<ProfileProblem, string>> = {
  'first-name-missing': 'firstName',
  'first-name-too-long': 'firstName',
  'first-name-not-valid': 'firstName',
  'last-name-missing': 'lastName',
  'last-name-too-long': 'lastName',
  'last-name-not-valid': 'lastName',
  'display-name-too-long': 'displayName',
  'display-name-not-valid': 'displayName',
};

/** What one is called. */
export function renderAccountProfilePage(page: AccountProfilePage): string {
  const { form: formTexts, account } = page.texts;
  const { profile: texts } = account;
  const problems = fieldProblems(page.problems ?? [], FIELD_OF, texts.problems);
  const first: TextField = {
    id: 'firstName',
    label: formTexts.firstName,
    type: 'text',
    autocomplete: 'given-name',
    value: page.firstName,
  };
  const last: TextField = {
    id: 'lastName',
    label: formTexts.lastName,
    type: 'text',
    autocomplete: 'family-name',
    value: page.lastName,
  };
  const shown: TextField = {
    id: 'displayName',
    label: texts.displayName,
    hint: texts.displayNameHint,
    type: 'text',
    autocomplete: 'name',
    value: page.displayName,
    optional: true,
  };
  const names = page.texts.familyNameFirst ? [last, first] : [first, last];
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(account.failed, problems),
      form(
        page.form,
        html`
          ${[...names, shown].map((field) => textField(field, problems, page.texts))}
          ${submitButton('profile-submit', account.save, account.saving)}
        `,
      ),
    ],
  });
}
