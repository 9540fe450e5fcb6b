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
import type { SecondFactorProblem } from './problems.js';
import { unbroken } from './unbroken.js';

export type TypedFactor = 'totp' | 'recovery-code';

export interface SecondFactorPage extends Page {
  /** Which one is asked for; sent back as `kind`. */
  readonly kind: TypedFactor;
  readonly form: FormView;
  /** Who is signing in. */
  readonly account: ShownAccount;
  readonly problem?: SecondFactorProblem | undefined;
  /** What else they could show, strongest first. */
  readonly others: readonly { readonly kind: TypedFactor; readonly url: string }[];
  readonly otherAccountUrl: string;
  /** Where only the application would like it: goes on without. */
  readonly declineForm?: FormView | undefined;
}

const FIELD_OF: Readonly<Record<SecondFactorProblem, string>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  'too-busy': 'code',
  'too-many-attempts': 'code',
  'form-outdated': 'code',
};

/** In the middle of a sign-in: a code besides the password. What was typed is never given back: it is worth nothing twice. */
export function renderSecondFactorPage(page: SecondFactorPage): string {
  const { texts, kind, problem } = page;
  const { secondFactor } = texts;
  const words = secondFactor.kinds[kind];
  const problems = fieldProblems(problem === undefined ? [] : [problem], FIELD_OF, {
    ...texts.form.problems,
    ...words.problems,
  });
  const code = textField(
    {
      id: 'code',
      label: words.label,
      hint: words.hint,
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: kind === 'totp' ? 'numeric' : undefined,
      autofocus: problems.length === 0,
    },
    problems,
    texts,
  );
  return renderPage(page, {
    heading: secondFactor.title,
    lead: words.lead,
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { flow: page.form.flow, ...page.form.hidden }),
    body: [
      accountBox(page.account, texts),
      errorSummary(secondFactor.failed, problems),
      form(
        page.form,
        html`
          ${code}
          <div class="actions">
            ${submitButton('second-factor-submit', texts.signIn.submit, texts.signIn.busy)}
          </div>
        `,
      ),
      page.declineForm !== undefined && declineButton(page.declineForm, secondFactor.decline),
      ways(
        ...page.others.map((other) => wayLink(other.url, secondFactor.kinds[other.kind].instead)),
        wayLink(page.otherAccountUrl, texts.waysOn.otherAccount),
      ),
      kind === 'recovery-code' && html`<p class="hint">${unbroken(secondFactor.lost)}</p>`,
    ],
  });
}

function declineButton(view: FormView, label: string) {
  return form(view, html`<button class="button quiet" type="submit" id="decline">${label}</button>`);
}
