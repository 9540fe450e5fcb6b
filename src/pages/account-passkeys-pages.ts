import type { PasskeyRefusal } from '../domain/passkeys/passkey-refusal.js';
import { html } from '../rendering/html.js';
import { renderAccountPage, sectionList, type AccountPage } from './account-layout.js';
import {
  errorSummary,
  fieldProblems,
  form,
  quietSubmitButton,
  refusalBox,
  submitButton,
  textField,
  type FormView,
} from './form-parts.js';
import { agoInWords } from './moments.js';
import { passkeyForm } from './passkey-part.js';
import type { PasskeyNameProblem } from './problems.js';

export interface ShownPasskey {
  readonly name: string;
  readonly lastUsedAt?: Date | undefined;
  /** Its counter went back. */
  readonly maybeCopied: boolean;
  /** Where it is named and removed. */
  readonly url: string;
}

interface AccountPasskeysPage extends AccountPage {
  readonly passkeys: readonly ShownPasskey[];
  readonly form: FormView;
  /** Where the list is, and asking again leads. */
  readonly address: string;
  readonly challengePath: string;
  readonly now: Date;
  /** Why the one that was just made was not added. */
  readonly refusal?: PasskeyRefusal | undefined;
}

/** All of them, and the button that makes another. */
export function renderAccountPasskeysPage(page: AccountPasskeysPage): string {
  const { passkeys, texts, now, refusal } = page;
  const { passkeys: words, change } = texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: words.title,
    lead: words.lead,
    hasProblem: refusal !== undefined,
    address: page.address,
    body: [
      refusal !== undefined && refusalBox(words.failed, words.refusals[refusal]),
      passkeys.length === 0
        ? html`<p>${words.none}</p>`
        : sectionList(
            passkeys.map(({ name, lastUsedAt, maybeCopied, url }, index) => ({
              id: `passkey-${index + 1}`,
              heading: name,
              state: [
                lastUsedAt === undefined
                  ? words.neverUsed
                  : words.lastUsed.html({ when: agoInWords(lastUsedAt, now, texts) }),
                ...(maybeCopied ? [html`<strong class="warning">${words.maybeCopied}</strong>`] : []),
              ],
              action: { url, label: change },
            })),
          ),
      passkeyForm(page, {
        form: page.form,
        challengePath: page.challengePath,
        does: 'create',
        label: words.add,
        primary: true,
      }),
    ],
  });
}

export interface AccountPasskeyPage extends AccountPage {
  /** As on file, or as typed before an error. */
  readonly name: string;
  readonly form: FormView;
  readonly remove: FormView;
  readonly problem?: PasskeyNameProblem | undefined;
}

const FIELD_OF: Readonly<Record<PasskeyNameProblem, string>> = {
  'name-missing': 'name',
  'name-too-long': 'name',
};

/** One of them: another name, or away with it. */
export function renderAccountPasskeyPage(page: AccountPasskeyPage): string {
  const { passkeys: words, failed, save, saving } = page.texts.account;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, words.problems);
  const name = textField(
    {
      id: 'name',
      label: words.name,
      hint: words.nameHint,
      type: 'text',
      autocomplete: 'off',
      value: page.name,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'security',
    heading: page.name,
    hasProblem: problems.length > 0,
    address: page.form.action,
    body: [
      errorSummary(failed, problems),
      form(page.form, [name, submitButton('passkey-save', save, saving)]),
      form(
        page.remove,
        html`${quietSubmitButton('passkey-remove', words.remove, words.removing)}
          <p class="hint">${words.removeLead}</p>`,
      ),
    ],
  });
}
