import { html, type Html, type HtmlValue } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import {
  checkbox,
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
import { passkeyForm } from './passkey-part.js';
import type { SecondFactorProblem } from './problems.js';
import { unbroken } from './unbroken.js';

export type TypedFactor = 'totp' | 'recovery-code';
export type ShownKind = TypedFactor | 'passkey';

export interface SecondFactorPage extends Page {
  /** Which one is asked for; sent back as `kind`. */
  readonly kind: ShownKind;
  readonly form: FormView;
  /** Who is signing in. */
  readonly account: ShownAccount;
  readonly problem?: SecondFactorProblem | undefined;
  /** What else they could show, strongest first. */
  readonly others: readonly { readonly kind: ShownKind; readonly url: string }[];
  readonly otherAccountUrl: string;
  /** Where only the application would like it: goes on without. */
  readonly declineForm?: FormView | undefined;
  /** Until when this browser could be spared the second factor, if the reader wishes; undefined where it cannot be. */
  readonly trustUntil?: Date | undefined;
}

/** In the middle of a sign-in: a factor besides the password. What was typed is never given back: it is worth nothing twice. */
export function renderSecondFactorPage(page: SecondFactorPage): string {
  const { texts, kind, problem } = page;
  const { secondFactor } = texts;
  const words = secondFactor.kinds[kind];
  const at = kind === 'passkey' ? 'passkey-button' : 'code';
  const problems =
    problem === undefined
      ? []
      : fieldProblems([problem], fieldsAt(at), { ...texts.form.problems, ...words.problems });
  return renderPage(page, {
    heading: secondFactor.title,
    lead: words.lead,
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { flow: page.form.flow, ...page.form.hidden }),
    body: [
      accountBox(page.account, texts),
      errorSummary(secondFactor.failed, problems),
      kind === 'passkey' ? passkey(page) : codeForm(page, kind, problems),
      page.declineForm !== undefined && declineButton(page.declineForm, secondFactor.decline),
      ways(
        ...page.others.map((other) => wayLink(other.url, secondFactor.kinds[other.kind].instead)),
        wayLink(page.otherAccountUrl, texts.waysOn.otherAccount),
      ),
      // the last resort, where nothing else is left
      (kind === 'recovery-code' || page.others.length === 0) &&
        html`<p class="hint">${unbroken(secondFactor.lost)}</p>`,
    ],
  });
}

function declineButton(view: FormView, label: string) {
  return form(view, html`<button class="button quiet" type="submit" id="decline">${label}</button>`);
}

function fieldsAt(field: string): Readonly<Record<SecondFactorProblem, string>> {
  return {
    'code-missing': field,
    'code-not-valid': field,
    'too-busy': field,
    'too-many-attempts': field,
    'form-outdated': field,
  };
}

function passkey(page: SecondFactorPage): HtmlValue {
  const words = page.texts.secondFactor.kinds.passkey;
  return passkeyForm(page, {
    form: page.form,
    challengePath: `${page.form.action}/passkey/challenge`,
    does: 'get',
    label: words.label,
    absent: words.absent,
    choice: trustChoice(page),
    primary: true,
  });
}

function trustChoice({ texts, trustUntil }: SecondFactorPage): Html | undefined {
  if (trustUntil === undefined) return undefined;
  const { label, hint } = texts.secondFactor.trust;
  return checkbox('trust', label.html({ day: dayOf(trustUntil, texts) }), hint);
}

function codeForm(page: SecondFactorPage, kind: TypedFactor, problems: readonly FieldProblem[]): HtmlValue {
  const { texts, form: view } = page;
  const { label, hint } = texts.secondFactor.kinds[kind];
  const code = textField(
    {
      id: 'code',
      label,
      hint,
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: kind === 'totp' ? 'numeric' : undefined,
      autofocus: problems.length === 0,
    },
    problems,
    texts,
  );
  return form(
    view,
    html`
      ${code} ${trustChoice(page)}
      <div class="actions">
        ${submitButton('second-factor-submit', texts.signIn.submit, texts.signIn.busy)}
      </div>
    `,
  );
}
