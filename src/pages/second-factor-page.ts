import type { FactorKind } from '../domain/policies/factor-policy.js';
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
import { passkeyForm, passkeyProblems } from './passkey-part.js';
import type { SecondFactorProblem } from './problems.js';
import { resendForm, sendCodeForm, sentAgainNotice, type Resend } from './resend-part.js';
import { sentCodeProblems, sentTo } from './sent-to-part.js';
import { unbroken } from './unbroken.js';

type ShownKind = FactorKind | 'recovery-code';
type TypedFactor = Exclude<ShownKind, 'passkey'>;

/** A code that was sent, or is to be. */
export interface SentCode {
  /** The page shows it masked. */
  readonly target: string;
  /** False where none could be sent. */
  readonly isSent: boolean;
  readonly resend: Resend;
}

export interface SecondFactorPage extends Page {
  /** Which one is asked for, sent back as `kind`; undefined where what there is must not be shown now. */
  readonly kind: ShownKind | undefined;
  /** With codes by e-mail or SMS. */
  readonly sent?: SentCode | undefined;
  readonly form: FormView;
  /** Who is signing in. */
  readonly account: ShownAccount;
  readonly problem?: SecondFactorProblem | undefined;
  /** What else they could show, strongest first. */
  readonly others: readonly { readonly kind: ShownKind; readonly url: string }[];
  readonly otherAccountUrl: string;
  /** If the factor is voluntary: continues without it. */
  readonly declineForm?: FormView | undefined;
  /** Until when this browser could be spared the second factor, if the reader wishes; undefined where it cannot be. */
  readonly trustUntil?: Date | undefined;
}

/** In the middle of a sign-in: a factor besides the password. What was typed is never given back: it is worth nothing twice. */
export function renderSecondFactorPage(page: SecondFactorPage): string {
  const { texts, kind, problem } = page;
  const { secondFactor } = texts;
  const problems = kind === undefined || problem === undefined ? [] : problemsOf(page, kind, problem);
  return renderPage(page, {
    heading: secondFactor.title,
    lead: leadOf(page),
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { flow: page.form.flow, ...page.form.hidden }),
    body: [
      sentAgainNotice(page.sent?.resend, texts),
      accountBox(page.account, texts),
      errorSummary(secondFactor.failed, problems),
      kind === undefined && html`<p>${secondFactor.resetByEmail}</p>`,
      kind !== undefined && (kind === 'passkey' ? passkey(page) : codeParts(page, kind, problems)),
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

/** Where none could be sent there is no field for one. */
function codeParts(
  page: SecondFactorPage,
  kind: TypedFactor,
  problems: readonly FieldProblem[],
): readonly HtmlValue[] {
  const { sent, texts } = page;
  if (sent?.isSent === false) return [sendCodeForm(sent.resend, texts)];
  const again =
    sent !== undefined && kind === 'sms'
      ? { ...sent.resend, notArrived: texts.account.phone.notArrived }
      : sent?.resend;
  return [codeForm(page, kind, problems), resendForm(again, texts)];
}

function leadOf({ kind, sent, others, texts }: SecondFactorPage): Html | string {
  const { kinds, notSent, notSentAlone } = texts.secondFactor;
  if (kind === undefined) return kinds.totp.lead;
  if (kind !== 'email' && kind !== 'sms') return kinds[kind].lead;
  return sent?.isSent === true
    ? sentTo(kind, sent.target, texts)
    : others.length > 0
      ? notSent
      : notSentAlone;
}

function problemsOf(
  { texts, others }: SecondFactorPage,
  kind: ShownKind,
  problem: SecondFactorProblem,
): readonly FieldProblem[] {
  const at = kind === 'passkey' ? 'passkey-button' : 'code';
  const ofKind =
    kind === 'email' || kind === 'sms'
      ? sentCodeProblems(kind, texts)
      : kind === 'passkey'
        ? passkeyProblems(texts, others.length > 0)
        : texts.secondFactor.kinds[kind].problems;
  const words = { ...texts.form.problems, ...ofKind };
  return fieldProblems([problem], fieldsAt(at), words);
}

function declineButton(view: FormView, label: string) {
  return form(view, html`<button class="button quiet" type="submit" id="decline">${label}</button>`);
}

function fieldsAt(field: string): Readonly<Record<SecondFactorProblem, string>> {
  return {
    'code-missing': field,
    'code-not-valid': field,
    'code-unchecked': field,
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
    absent: page.others.length > 0 ? words.absent : words.absentAlone,
    isAlone: page.others.length === 0,
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
  const { label } = texts.secondFactor.kinds[kind];
  const hint = kind === 'totp' || kind === 'recovery-code' ? texts.secondFactor.kinds[kind].hint : undefined;
  const code = textField(
    {
      id: 'code',
      label,
      hint,
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: kind === 'totp' || kind === 'sms' ? 'numeric' : undefined,
      bySms: kind === 'sms',
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
