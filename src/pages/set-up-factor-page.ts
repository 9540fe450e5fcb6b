import type { SetUpKind } from '../domain/factors/set-up-kind.js';
import { html, type Html } from '../rendering/html.js';
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
  type FieldProblem,
  type FormView,
} from './form-parts.js';
import { renderPage, type Page } from './layout.js';
import { dayOf } from './moments.js';
import { newAppPart, type NewApp } from './new-app-part.js';
import { passkeyForm } from './passkey-part.js';
import type { CodeProblem, FormProblem } from './problems.js';

export interface SetUpFactorPage extends Page {
  /** Says in `kind` what is set up. */
  readonly form: FormView;
  /** The app that is set up; undefined where it is a passkey. */
  readonly app: NewApp | undefined;
  readonly account: ShownAccount;
  readonly problem?: CodeProblem | FormProblem | undefined;
  /** Until when it may be put off, by `skip=true`; undefined where it must be now. */
  readonly until: Date | undefined;
  /** What else they could set up, strongest first. */
  readonly others: readonly { readonly kind: SetUpKind; readonly url: string }[];
  readonly otherAccountUrl: string;
}

/** In the middle of a sign-in: whoever must have a second factor sets one up, or puts it off while they may. */
export function renderSetUpFactorPage(page: SetUpFactorPage): string {
  const { texts, until, app } = page;
  const { setUp, kinds } = texts.secondFactor;
  const words = app === undefined ? kinds.passkey : kinds.totp;
  const problems = fieldProblems(
    page.problem === undefined ? [] : [page.problem],
    fieldsAt(app === undefined ? 'passkey-button' : 'code'),
    { ...texts.form.problems, ...words.problems },
  );
  return renderPage(page, {
    heading: setUp.title,
    lead: until === undefined ? setUp.now : setUp.until.html({ day: dayOf(until, texts) }),
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow, ...page.form.hidden }),
    body: [
      accountBox(page.account, texts),
      errorSummary(app === undefined ? setUp.passkeyFailed : setUp.failed, problems),
      ...(app === undefined ? passkey(page) : [newAppPart(app, texts), appForm(page, problems)]),
      ways(
        ...page.others.map(({ kind, url }) => wayLink(url, setUp.instead[kind])),
        wayLink(page.otherAccountUrl, texts.waysOn.otherAccount),
      ),
    ],
  });
}

function fieldsAt(field: string): Readonly<Record<CodeProblem | FormProblem, string>> {
  return {
    'code-missing': field,
    'code-not-valid': field,
    'too-many-attempts': field,
    'form-outdated': field,
  };
}

function passkey(page: SetUpFactorPage): readonly (Html | undefined)[] {
  const { texts, form: view, until } = page;
  const { setUp } = texts.secondFactor;
  const { lead, add } = texts.account.passkeys;
  return [
    html`<p>${lead}</p>`,
    passkeyForm(page, {
      form: view,
      challengePath: `${view.action}/passkey/challenge`,
      does: 'create',
      label: add,
      absent: page.others.length > 0 ? setUp.absent : setUp.absentAlone,
      primary: true,
    }),
    until && form(view, notNowButton(page)),
  ];
}

function appForm(page: SetUpFactorPage, problems: readonly FieldProblem[]): Html {
  const { texts, form: view, until } = page;
  const { setUp, kinds } = texts.secondFactor;
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
  return form(
    view,
    html`
      ${code}
      <div class="actions">
        ${submitButton('set-up-factor-submit', setUp.submit, texts.signIn.busy)}
        ${until !== undefined && notNowButton(page)}
      </div>
    `,
  );
}

function notNowButton({ texts }: SetUpFactorPage): Html {
  return html`<button class="button quiet" type="submit" id="skip" name="skip" value="true">
    ${texts.secondFactor.setUp.notNow}
  </button>`;
}
