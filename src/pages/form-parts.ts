import { attributes, html, type Html, type HtmlValue } from '../rendering/html.js';
import type { ProblemTexts } from './problems.js';
import type { Texts } from './texts.js';
import { unbroken } from './unbroken.js';

/** What every form carries besides what people type. */
export interface FormView {
  /** Path on our own origin that the form is posted to. */
  readonly action: string;
  /** Token that ties the form to this browser; sent as `csrf`. */
  readonly csrf: string;
  /** Id of the running sign-in; sent as `flow`, left out where there is none. */
  readonly flow?: string | undefined;
  /** Further hidden fields, such as `userId`. */
  readonly hidden?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Where the page of a form is had by asking, for `PageContent.address`. */
export function formAddress(
  { action }: FormView,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length === 0 ? action : `${action}?${new URLSearchParams(given).toString()}`;
}

/** A problem and the id of the field it belongs to. */
export interface FieldProblem {
  readonly field: string;
  readonly texts: ProblemTexts;
}

/**
 * The problems of a form with their fields and words. `texts` may hold more than this form can run into, so pages
 * put the texts of their parts together.
 */
export function fieldProblems<Problem extends string>(
  problems: readonly Problem[],
  fieldOf: Readonly<Record<Problem, string>>,
  texts: Readonly<Record<Problem, ProblemTexts>>,
): readonly FieldProblem[] {
  return problems.map((problem) => ({ field: fieldOf[problem], texts: texts[problem] }));
}

/** A plain POST form; `novalidate` because our own messages say more and are in the page's language. */
export function form(view: FormView, content: HtmlValue): Html {
  const hidden = Object.entries({ csrf: view.csrf, flow: view.flow, ...view.hidden });
  return html`<form method="post" action="${view.action}" novalidate>
    ${hidden.map(([name, value]) => value !== undefined && html`<input${attributes({ type: 'hidden', name, value })} />`)}
    ${content}
  </form>`;
}

/**
 * All problems of a form, above it. It takes the focus, so that a screen reader starts with it and the next tab
 * press leads to the first link; each link leads to its field.
 */
export function errorSummary(heading: string, problems: readonly FieldProblem[]): Html | undefined {
  if (problems.length === 0) return undefined;
  return html`<div class="summary" id="error-summary" role="alert" tabindex="-1" autofocus>
    <h2>${unbroken(heading)}</h2>
    <ul>
      ${problems.map(({ field, texts }) => html`<li><a href="#${field}">${unbroken(texts.summary)}</a></li>`)}
    </ul>
  </div>`;
}

/** Why nothing was done, where that is about no field. It takes the focus as a summary does. */
export function refusalBox(heading: string, text: string): Html {
  return html`<div class="summary" id="error-summary" role="alert" tabindex="-1" autofocus>
    <h2>${unbroken(heading)}</h2>
    <p>${unbroken(text)}</p>
  </div>`;
}

export interface TextField {
  /** Both `id` and `name`. */
  readonly id: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'tel' | 'password' | 'url';
  readonly autocomplete:
    | 'username'
    | 'username webauthn'
    | 'current-password'
    | 'new-password'
    | 'one-time-code'
    | 'given-name'
    | 'additional-name'
    | 'family-name'
    | 'name'
    | 'nickname'
    | 'bday'
    | 'url'
    | 'photo'
    | 'address-level1'
    | 'address-level2'
    | 'postal-code'
    | 'country-name'
    | 'email'
    | 'tel'
    | 'off';
  readonly hint?: string | Html | undefined;
  /** Never given for a password: what was typed there is not sent back. */
  readonly value?: string | undefined;
  readonly autofocus?: boolean | undefined;
  /** Ids of further texts that describe the field. */
  readonly describedBy?: readonly string[] | undefined;
  readonly inputmode?: 'email' | 'tel' | 'text' | 'numeric' | 'url' | undefined;
  /** May be left empty; says so beside its label. */
  readonly optional?: boolean | undefined;
  /** Is typed letter by letter from another screen, in capitals. */
  readonly isCode?: boolean | undefined;
  /** What comes by SMS may be filled in by the telephone that gets it (WebOTP). */
  readonly bySms?: boolean | undefined;
}

/** What a phone's keyboard writes in capitals by itself; nothing else. */
const CAPITALS: Partial<Record<TextField['autocomplete'], 'characters' | 'words'>> = {
  'one-time-code': 'characters',
  'given-name': 'words',
  'additional-name': 'words',
  'family-name': 'words',
  name: 'words',
  nickname: 'words',
  'address-level1': 'words',
  'address-level2': 'words',
  'country-name': 'words',
};

function labelOf({ label, optional }: Pick<TextField, 'label' | 'optional'>, { form: texts }: Texts): string {
  return optional === true ? texts.optional({ label }) : label;
}

/** What every field has around its control. */
type AnyField = Pick<TextField, 'id' | 'label' | 'hint' | 'optional' | 'describedBy'>;

/** Attributes that tie a control to its hint and message. */
export function tiesOf(field: AnyField, problem: FieldProblem | undefined) {
  const hintId = field.hint === undefined ? [] : [`${field.id}-hint`];
  const errorId = problem === undefined ? [] : [`${field.id}-error`];
  const describedBy = [...hintId, ...errorId, ...(field.describedBy ?? [])].join(' ');
  return {
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': problem === undefined ? undefined : 'true',
  };
}

/** A field with its label, hint and message. */
export function fieldAround(
  field: AnyField,
  problem: FieldProblem | undefined,
  texts: Texts,
  control: Html,
): Html {
  return html`<div class="field">
    <label for="${field.id}">${labelOf(field, texts)}</label>
    ${field.hint !== undefined && html`<p class="hint" id="${field.id}-hint">${unbroken(field.hint)}</p>`}
    ${problem && fieldError(field.id, problem, texts)} ${control}
  </div>`;
}

/** Label, hint, message and input, tied together; a password gets its show switch, which scripts bring up. */
export function textField(field: TextField, problems: readonly FieldProblem[], texts: Texts): Html {
  const problem = problems.find((candidate) => candidate.field === field.id);
  const isCode = field.isCode === true || field.autocomplete === 'one-time-code';
  const input = html`<input${attributes({
    class: isCode ? 'text code' : 'text',
    id: field.id,
    name: field.id,
    type: field.type,
    value: field.value,
    autocomplete: field.autocomplete,
    inputmode: field.inputmode,
    autocapitalize:
      field.isCode === true
        ? 'characters'
        : field.inputmode === 'numeric'
          ? 'none'
          : (CAPITALS[field.autocomplete] ?? 'none'),
    autocorrect: 'off',
    spellcheck: 'false',
    required: field.optional !== true,
    autofocus: field.autofocus,
    ...tiesOf(field, problem),
    'data-sms': field.bySms === true ? '' : undefined,
  })} />`;
  const control =
    field.type === 'password'
      ? html`<div class="secret">${input}${revealSwitch(field.id, texts)}</div>`
      : input;
  return fieldAround(field, problem, texts, control);
}

/** Something that may be ticked, and is not until somebody does. */
export function checkbox(id: string, label: HtmlValue, hint: string): Html {
  return html`<div class="check">
    <input${attributes({ type: 'checkbox', id, name: id, value: 'true', 'aria-describedby': `${id}-hint` })} />
    <label for="${id}">${label}</label>
    <p class="hint" id="${id}-hint">${unbroken(hint)}</p>
  </div>`;
}

/** The form's one primary button. @param sends what it says of itself, where there is another button */
export function submitButton(
  id: string,
  label: string,
  busy: string,
  sends: { readonly name?: string; readonly value?: string } = {},
): Html {
  return html`<button${attributes({ class: 'button', type: 'submit', id, 'data-busy': busy, ...sends })}>${label}</button>`;
}

/** A way on that is as good as the primary button's, and not the first. */
export function quietSubmitButton(id: string, label: HtmlValue, busy: string): Html {
  return html`<button class="button quiet" type="submit" id="${id}" data-busy="${busy}">${label}</button>`;
}

/** One link below a form. */
export function wayLink(url: string, label: string): Html {
  return html`<li><a href="${url}">${label}</a></li>`;
}

/** The links below a form; nothing when none of them is offered. */
export function ways(...links: readonly (Html | false)[]): Html | undefined {
  return links.every((link) => link === false)
    ? undefined
    : html`<ul class="ways">
        ${links}
      </ul>`;
}

/** A link that looks like the primary button: the way on from a page without a form. */
export function linkButton(url: string, label: HtmlValue): Html {
  return html`<a class="button" href="${url}">${label}</a>`;
}

function fieldError(id: string, problem: FieldProblem, texts: Texts): Html {
  return html`<p class="field-error" id="${id}-error">
    <span><span class="quietly">${texts.layout.problem}</span> ${unbroken(problem.texts.atField)}</span>
  </p>`;
}

function revealSwitch(id: string, { form: texts }: Texts): Html {
  return html`<button${attributes({
    class: 'reveal',
    type: 'button',
    hidden: true,
    'aria-controls': id,
    'aria-label': texts.showPassword,
    'data-reveal': id,
    'data-show': texts.show,
    'data-hide': texts.hide,
    'data-show-label': texts.showPassword,
    'data-hide-label': texts.hidePassword,
  })}>${texts.show}</button>`;
}
