import { html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { accountBox, type ShownAccount } from './account-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { hiddenLoginName } from './new-password-part.js';
import type { ConfirmProblem } from './problems.js';

export interface AccountConfirmPage extends AccountPage, ShownAccount {
  readonly form: FormView;
  readonly problem?: ConfirmProblem | undefined;
  /** Signing in anew is as good a proof, by whatever ways there are. */
  readonly signInUrl: string;
  readonly address: string;
}

const FIELD_OF: Readonly<Record<ConfirmProblem, string>> = {
  'current-missing': 'password',
  'current-wrong': 'password',
  'too-busy': 'password',
  'too-many-attempts': 'password',
  'form-outdated': 'password',
};

/** The password once more, because the last proof is too long ago for what comes next. */
export function renderAccountConfirmPage(page: AccountConfirmPage): string {
  const { form: formTexts, changePassword, account } = page.texts;
  const { confirm: texts } = account;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...formTexts.problems,
    ...changePassword.problems,
  });
  const password = textField(
    {
      id: 'password',
      label: formTexts.password,
      type: 'password',
      autocomplete: 'current-password',
      autofocus: problems.length === 0,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    hasProblem: problems.length > 0,
    address: page.address,
    body: [
      accountBox(page, page.texts),
      errorSummary(texts.failed, problems),
      form(
        page.form,
        html`
          ${hiddenLoginName(page.loginName)} ${password}
          ${submitButton('confirm-submit', texts.submit, texts.busy)}
        `,
      ),
      ways(wayLink(page.signInUrl, texts.signInAgain)),
    ],
  });
}
