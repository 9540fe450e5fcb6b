import type { CodeFactorKind, FactorKind } from '../domain/policies/factor-policy.js';
import { html, type Html, type HtmlValue } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { codeForm } from './code-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  formAddress,
  refusalBox,
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
import { passkeyForm, passkeyProblems } from './passkey-part.js';
import type { CodeProblem, FormProblem, ProblemTexts, UncheckedProblem } from './problems.js';
import { resendForm, sendCodeForm, sentAgainNotice, type Resend } from './resend-part.js';
import { maskedTarget, sentCodeProblems, sentTo } from './sent-to-part.js';
import type { Texts } from './texts.js';
import { unbroken } from './unbroken.js';

/** Codes by one way: turned on by one that arrived. */
export interface NewCodes {
  readonly kind: CodeFactorKind;
  /** Where they go; shown masked. */
  readonly target: string;
  /** One is under way. */
  readonly isSent: boolean;
  readonly resend: Resend;
  /** None could be sent. */
  readonly wasRefused: boolean;
}

/** What is set up on the page. */
export type SetUpPart =
  | { readonly kind: 'passkey' }
  | { readonly kind: 'totp'; readonly app: NewApp }
  | NewCodes
  /** First a fresh proof, which another page takes. */
  | { readonly kind: 'proof'; readonly url: string }
  /** Nothing can be set up now: says what is in the way. */
  | { readonly kind: 'nothing'; readonly why: readonly SetUpHindrance[] };

export type SetUpHindrance = 'noPhone' | 'noSms' | 'resetByEmail';

export interface SetUpFactorPage extends Page {
  /** Says in `kind` what is set up. */
  readonly form: FormView;
  readonly part: SetUpPart;
  readonly account: ShownAccount;
  readonly problem?: CodeProblem | UncheckedProblem | FormProblem | undefined;
  /** Until when it may be put off, by `skip=true`; undefined where it must be now. */
  readonly until: Date | undefined;
  /** What else they could set up, strongest first. */
  readonly others: readonly { readonly kind: FactorKind; readonly url: string }[];
  readonly otherAccountUrl: string;
}

/** In the middle of a sign-in: whoever must have a second factor and has none sets one up, or puts it off while they may. */
export function renderSetUpFactorPage(page: SetUpFactorPage): string {
  const { texts, until, part } = page;
  const { setUp } = texts.secondFactor;
  return renderPage(page, {
    heading: setUp.title,
    lead: until === undefined ? setUp.now : setUp.until.html({ day: dayOf(until, texts) }),
    hasProblem: page.problem !== undefined || ('wasRefused' in part && part.wasRefused),
    address: formAddress(page.form, { flow: page.form.flow, ...page.form.hidden }),
    body: [
      'resend' in part && sentAgainNotice(part.resend, texts),
      accountBox(page.account, texts),
      ...partOf(page),
      ways(
        ...page.others.map(({ kind, url }) => wayLink(url, setUp.instead[kind])),
        wayLink(page.otherAccountUrl, texts.waysOn.otherAccount),
      ),
    ],
  });
}

function partOf(page: SetUpFactorPage): readonly HtmlValue[] {
  const { part, texts } = page;
  const { setUp, kinds } = texts.secondFactor;
  switch (part.kind) {
    case 'passkey': {
      const words = passkeyProblems(texts, page.others.length > 0);
      return [errorSummary(setUp.passkeyFailed, problemsAt(page, 'passkey-button', words)), ...passkey(page)];
    }
    case 'totp': {
      const problems = problemsAt(page, 'code', kinds.totp.problems);
      return [errorSummary(setUp.failed, problems), newAppPart(part.app, texts), appForm(page, problems)];
    }
    case 'proof':
      return proof(page, part.url);
    case 'nothing':
      return [...nothing(part.why, texts), notNowForm(page)];
    case 'email':
    case 'sms':
      return codes(page, part);
  }
}

function problemsAt(
  { problem, texts }: SetUpFactorPage,
  field: string,
  words: Readonly<Record<CodeProblem, ProblemTexts>>,
): readonly FieldProblem[] {
  const at: Readonly<Record<CodeProblem | UncheckedProblem | FormProblem, string>> = {
    'code-missing': field,
    'code-not-valid': field,
    'code-unchecked': field,
    'too-many-attempts': field,
    'form-outdated': field,
  };
  return fieldProblems(problem === undefined ? [] : [problem], at, { ...texts.form.problems, ...words });
}

function proof(page: SetUpFactorPage, url: string): readonly (Html | undefined)[] {
  const { lead, submit } = page.texts.account.confirm;
  return [
    html`<p>${lead}</p>`,
    html`<p class="actions"><a class="button" id="show-proof" href="${url}">${submit}</a></p>`,
    notNowForm(page),
  ];
}

function nothing(why: readonly SetUpHindrance[], texts: Texts): readonly Html[] {
  const { setUp, resetByEmail } = texts.secondFactor;
  const words = { noPhone: setUp.noPhone, noSms: setUp.noSms, resetByEmail };
  return why.map((one) => html`<p>${unbroken(words[one])}</p>`);
}

function passkey(page: SetUpFactorPage): readonly (Html | undefined)[] {
  const { texts, form: view } = page;
  const { setUp } = texts.secondFactor;
  const { lead, add } = texts.account.passkeys;
  return [
    html`<p>${lead}</p>`,
    passkeyForm(page, {
      form: view,
      challengePath: `${view.action}/passkey/challenge`,
      does: 'create',
      label: add,
      absent: page.others.some(({ kind }) => kind === 'totp') ? setUp.absent : setUp.absentAlone,
      primary: true,
    }),
    notNowForm(page),
  ];
}

function appForm(page: SetUpFactorPage, problems: readonly FieldProblem[]): Html {
  const { texts, form: view } = page;
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
        ${submitButton('set-up-factor-submit', setUp.submit, texts.signIn.busy)} ${notNowButton(page)}
      </div>
    `,
  );
}

/** As on the page of the account that turns them on. */
function codes(page: SetUpFactorPage, part: NewCodes): readonly HtmlValue[] {
  const { texts, problem } = page;
  const { kind, target, resend } = part;
  const { codes: words, phone } = texts.account;
  if (!part.isSent) {
    const { notSent, notSentAlone } = texts.secondFactor;
    return [
      part.wasRefused && refusalBox(words.failed, page.others.length > 0 ? notSent : notSentAlone),
      html`<p>${words.lead.html({ target: maskedTarget(kind, target) })}</p>`,
      sendCodeForm(resend, texts),
      notNowForm(page),
    ];
  }
  const asksFor = {
    failed: words.failed,
    submit: words.submit,
    busy: texts.signIn.busy,
    problems: sentCodeProblems(kind, texts),
  };
  const view = { form: page.form, problem, bySms: kind === 'sms', texts };
  return [
    html`<p>${sentTo(kind, target, texts)}</p>`,
    codeForm(view, asksFor, notNowButton(page)),
    resendForm(kind === 'sms' ? { ...resend, notArrived: phone.notArrived } : resend, texts),
  ];
}

function notNowForm(page: SetUpFactorPage): Html | undefined {
  const button = notNowButton(page);
  return button && form(page.form, button);
}

function notNowButton({ texts, until }: SetUpFactorPage): Html | undefined {
  if (until === undefined) return undefined;
  return html`<button class="button quiet" type="submit" id="skip" name="skip" value="true">
    ${texts.secondFactor.setUp.notNow}
  </button>`;
}
