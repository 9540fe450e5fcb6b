import { html } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  formAddress,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { renderPage, type Page } from './layout.js';
import { dayOf } from './moments.js';
import { newAppPart, type NewApp } from './new-app-part.js';
import type { CodeProblem, FormProblem } from './problems.js';

export interface SetUpFactorPage extends Page, NewApp {
  readonly form: FormView;
  readonly account: ShownAccount;
  readonly problem?: CodeProblem | FormProblem | undefined;
  /** Until when it may be put off, by `skip=true`; undefined where it must be now. */
  readonly until: Date | undefined;
  readonly otherAccountUrl: string;
}

const FIELD_OF: Readonly<Record<CodeProblem | FormProblem, string>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  'too-many-attempts': 'code',
  'form-outdated': 'code',
};

/** In the middle of a sign-in: whoever must have a second factor sets one up, or puts it off while they may. */
export function renderSetUpFactorPage(page: SetUpFactorPage): string {
  const { texts, until } = page;
  const { setUp, kinds } = texts.secondFactor;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...texts.form.problems,
    ...kinds.totp.problems,
  });
  const code = textField(
    {
      id: 'code',
      label: kinds.totp.label,
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
    },
    problems,
    texts,
  );
  return renderPage(page, {
    heading: setUp.title,
    lead: until === undefined ? setUp.now : setUp.until.html({ day: dayOf(until, texts) }),
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      accountBox(page.account, texts),
      errorSummary(setUp.failed, problems),
      newAppPart(page, texts),
      form(
        page.form,
        html`
          ${code}
          <div class="actions">
            ${submitButton('set-up-factor-submit', setUp.submit, texts.signIn.busy)}
            ${
              until !== undefined &&
              html`<button class="button quiet" type="submit" id="skip" name="skip" value="true">
                ${setUp.notNow}
              </button>`
            }
          </div>
        `,
      ),
      ways(wayLink(page.otherAccountUrl, texts.waysOn.otherAccount)),
    ],
  });
}
