import { attributes, html, type Html } from '../../../domain/shared/html.js';
import { initial, singleLine } from '../../../domain/shared/display-text.js';
import type { SetPasswordProblem, Texts } from '../texts/texts.js';
import {
  errorSummary,
  type FieldProblem,
  form,
  type FormView,
  submitButton,
  textField,
} from './form-parts.js';
import { named, type Page, renderPage } from './layout.js';

/** What the organization's policy asks of a password. */
export interface PasswordRules {
  /** In characters. */
  readonly minLength: number;
  readonly upperCase: boolean;
  readonly lowerCase: boolean;
  readonly number: boolean;
  readonly symbol: boolean;
}

export interface SetPasswordPage extends Page {
  readonly form: FormView;
  /** The account's full login name: shown, and given to password managers as the user name. */
  readonly loginName: string;
  readonly displayName?: string | undefined;
  /** From the mail's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly rules: PasswordRules;
  /** Rules that the refused password missed. */
  readonly unmet?: readonly (keyof PasswordRules)[] | undefined;
  readonly problems?: readonly SetPasswordProblem[] | undefined;
  readonly newCodeUrl?: string | undefined;
}

const FIELD_OF: Readonly<Record<SetPasswordProblem, 'code' | 'newPassword' | 'repeatPassword'>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  'password-missing': 'newPassword',
  'password-too-weak': 'newPassword',
  'password-too-long': 'newPassword',
  'repeat-differs': 'repeatPassword',
  'form-outdated': 'newPassword',
};

/** First password of an account: code from the mail, new password twice. */
export function renderSetPasswordPage(page: SetPasswordPage): string {
  const texts = page.texts.setPassword;
  const problems = (page.problems ?? []).map((problem): FieldProblem => {
    return { field: FIELD_OF[problem], texts: texts.problems[problem] };
  });
  const isCodeKnown = page.code !== undefined && page.code !== '';
  const userName = attributes({
    type: 'text',
    name: 'loginName',
    value: page.loginName,
    autocomplete: 'username',
    readonly: true,
    hidden: true,
  });
  const fields = html`
    <input${userName} />
    ${textField(
      {
        id: 'code',
        label: page.texts.form.code,
        hint: texts.codeHint,
        type: 'text',
        autocomplete: 'one-time-code',
        value: page.code,
        autofocus: problems.length === 0 && !isCodeKnown,
      },
      problems,
      page.texts,
    )}
    ${ruleList(page)}
    ${textField(
      {
        id: 'newPassword',
        label: texts.newPassword,
        type: 'password',
        autocomplete: 'new-password',
        autofocus: problems.length === 0 && isCodeKnown,
        describedBy: ['password-rules'],
      },
      problems,
      page.texts,
    )}
    ${textField(
      { id: 'repeatPassword', label: texts.repeatPassword, type: 'password', autocomplete: 'new-password' },
      problems,
      page.texts,
    )}
    ${submitButton('password-submit', texts.submit, texts.busy)}
  `;
  return renderPage(page, {
    heading: texts.title,
    lead: texts.lead(named(page.organization.name)),
    hasProblem: problems.length > 0,
    body: [
      account(page),
      errorSummary(texts.failed, problems),
      form(page.form, fields),
      page.newCodeUrl !== undefined &&
        html`<ul class="ways">
          <li><a href="${page.newCodeUrl}">${texts.newCode}</a></li>
        </ul>`,
    ],
  });
}

/** Who this is for, so that nobody sets a password for somebody else's account unawares. */
function account({ displayName, loginName, texts }: SetPasswordPage): Html {
  const name = displayName === undefined || displayName === '' ? undefined : singleLine(displayName);
  return html`<div class="who" role="group" aria-label="${texts.form.account}">
    <span class="initials" aria-hidden="true">${initial(name ?? loginName)}</span>
    <div>
      ${name !== undefined && html`<strong><bdi>${name}</bdi></strong>`}
      <span><bdi>${singleLine(loginName)}</bdi></span>
    </div>
  </div>`;
}

function ruleList({ rules, unmet = [], texts: { setPassword: texts } }: SetPasswordPage): Html {
  const wanted = (Object.keys(RULE_TEXTS) as (keyof PasswordRules)[]).filter((rule) => rules[rule]);
  return html`<div class="hint" id="password-rules">
    <p>${texts.rules}</p>
    <ul class="rules">
      ${wanted.map((rule) => {
        const text = RULE_TEXTS[rule](texts, rules);
        return unmet.includes(rule)
          ? html`<li class="unmet">${text} (${texts.unmet})</li>`
          : html`<li>${text}</li>`;
      })}
    </ul>
  </div>`;
}

/** In the order of the list. */
const RULE_TEXTS: Readonly<
  Record<keyof PasswordRules, (texts: Texts['setPassword'], rules: PasswordRules) => string>
> = {
  minLength: (texts, rules) => texts.minLength(rules.minLength),
  upperCase: (texts) => texts.upperCase,
  lowerCase: (texts) => texts.lowerCase,
  number: (texts) => texts.number,
  symbol: (texts) => texts.symbol,
};
