import { attributes, html, type Html } from '../rendering/html.js';
import { textField, type FieldProblem } from './form-parts.js';
import type { NewPasswordProblem } from './problems.js';
import type { Texts } from './texts.js';

/** What the organization's policy asks of a password. */
export interface PasswordRules {
  /** In characters. */
  readonly minLength: number;
  readonly upperCase: boolean;
  readonly lowerCase: boolean;
  readonly number: boolean;
  readonly symbol: boolean;
  /** Neither common nor made of the name or address of its user. */
  readonly unguessable: boolean;
  /** Whether passwords of data breaches are looked up. */
  readonly unbreached: boolean;
}

/** The part of a view that every page with a new password has. */
export interface NewPasswordView {
  readonly texts: Texts;
  readonly rules: PasswordRules;
  /** Rules that the refused password missed. */
  readonly unmet?: readonly (keyof PasswordRules)[] | undefined;
}

export const NEW_PASSWORD_FIELDS: Readonly<Record<NewPasswordProblem, 'newPassword' | 'repeatPassword'>> = {
  'password-missing': 'newPassword',
  'password-too-weak': 'newPassword',
  'password-too-long': 'newPassword',
  'repeat-differs': 'repeatPassword',
};

/** The rules, and the new password twice. */
export function newPasswordFields(
  view: NewPasswordView,
  problems: readonly FieldProblem[],
  autofocus = false,
): Html {
  const { newPassword: texts } = view.texts;
  return html`
    ${newPasswordField(view, problems, texts.label, autofocus)}
    ${textField(
      { id: 'repeatPassword', label: texts.repeat, type: 'password', autocomplete: 'new-password' },
      problems,
      view.texts,
    )}
  `;
}

/** The rules, and the new password. */
export function newPasswordField(
  view: NewPasswordView,
  problems: readonly FieldProblem[],
  label: string,
  autofocus = false,
): Html {
  return html`
    ${ruleList(view)}
    ${textField(
      {
        id: 'newPassword',
        label,
        type: 'password',
        autocomplete: 'new-password',
        autofocus,
        describedBy: ['password-rules'],
      },
      problems,
      view.texts,
    )}
  `;
}

/** Shows password managers whose new password this is, on pages that do not ask for the name. */
export function hiddenLoginName(loginName: string): Html {
  const field = { type: 'text', name: 'loginName', value: loginName, autocomplete: 'username' };
  return html`<input${attributes({ ...field, readonly: true, hidden: true })} />`;
}

function ruleList({ rules, unmet = [], texts: { newPassword: texts } }: NewPasswordView): Html {
  const wanted = (Object.keys(RULE_TEXTS) as (keyof PasswordRules)[]).filter((rule) => rules[rule]);
  return html`<div class="hint" id="password-rules">
    <p>${texts.rules}</p>
    <ul class="rules">
      ${wanted.map((rule) => {
        const text = RULE_TEXTS[rule](texts, rules);
        return unmet.includes(rule)
          ? html`<li class="unmet" ${tickedBy(rule, rules)}>${texts.unmet({ rule: text })}</li>`
          : html`<li${tickedBy(rule, rules)}>${text}</li>`;
      })}
    </ul>
  </div>`;
}

/**
 * What the page's script looks for to tick a rule while somebody types, as regular expressions with the flag `u`; the server
 * alone decides (domain/passwords/password-policy.ts). What only it can know is not ticked.
 */
const TICKED_BY: Readonly<Partial<Record<keyof PasswordRules, (rules: PasswordRules) => string>>> = {
  minLength: ({ minLength }) => `^[^]{${minLength}}`,
  upperCase: () => '\\p{Lu}',
  lowerCase: () => '\\p{Ll}',
  number: () => '\\p{N}',
  symbol: () => '[^\\p{L}\\p{M}\\p{N}]',
};

function tickedBy(rule: keyof PasswordRules, rules: PasswordRules): Html {
  return attributes({ 'data-ticked-by': TICKED_BY[rule]?.(rules) });
}

/** In the order of the list. */
const RULE_TEXTS: Readonly<
  Record<keyof PasswordRules, (texts: Texts['newPassword'], rules: PasswordRules) => string>
> = {
  minLength: (texts, rules) => texts.minLength({ length: rules.minLength }),
  upperCase: (texts) => texts.upperCase,
  lowerCase: (texts) => texts.lowerCase,
  number: (texts) => texts.number,
  symbol: (texts) => texts.symbol,
  unguessable: (texts) => texts.unguessable,
  unbreached: (texts) => texts.unbreached,
};
