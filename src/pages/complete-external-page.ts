import { html } from '../rendering/html.js';
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
  type TextField,
} from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { CompleteExternalProblem } from './problems.js';

export interface CompleteExternalPage extends Page {
  readonly form: FormView;
  /** The provider that somebody came back from. */
  readonly providerName: string;
  /** Which of them it did not say either. */
  readonly names: readonly ('firstName' | 'lastName')[];
  /** What was typed before an error. */
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly problems?: readonly CompleteExternalProblem[] | undefined;
  readonly signInUrl: string;
}

const FIELD_OF: Readonly<Record<CompleteExternalProblem, string>> = {
  'email-missing': 'email',
  'email-not-valid': 'email',
  'email-not-available': 'email',
  'first-name-too-long': 'firstName',
  'first-name-not-valid': 'firstName',
  'last-name-too-long': 'lastName',
  'last-name-not-valid': 'lastName',
  'too-many-attempts': 'email',
  'form-outdated': 'email',
};

/** Somebody signed in elsewhere, and the provider did not say what an account needs. */
export function renderCompleteExternalPage(page: CompleteExternalPage): string {
  const { register: texts, form: formTexts, account } = page.texts;
  const problems = fieldProblems(page.problems ?? [], FIELD_OF, {
    ...formTexts.problems,
    ...texts.problems,
    ...account.profile.problems,
  });
  const nameFields: Readonly<Record<'firstName' | 'lastName', TextField>> = {
    firstName: {
      id: 'firstName',
      label: formTexts.firstName,
      type: 'text',
      autocomplete: 'given-name',
      value: page.firstName?.slice(0, 500),
      optional: true,
    },
    lastName: {
      id: 'lastName',
      label: formTexts.lastName,
      type: 'text',
      autocomplete: 'family-name',
      value: page.lastName?.slice(0, 500),
      optional: true,
    },
  };
  const order = page.texts.familyNameFirst
    ? (['lastName', 'firstName'] as const)
    : (['firstName', 'lastName'] as const);
  const fields: readonly TextField[] = [
    {
      id: 'email',
      label: formTexts.email,
      hint: texts.emailHint,
      type: 'email',
      inputmode: 'email',
      autocomplete: 'email',
      value: page.email?.slice(0, 500),
      autofocus: problems.length === 0,
    },
    ...order.filter((name) => page.names.includes(name)).map((name) => nameFields[name]),
  ];
  return renderPage(page, {
    heading: texts.title,
    lead: texts.withoutAddress.html({ provider: named(page.providerName) }),
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      errorSummary(texts.failed, problems),
      form(
        page.form,
        html`
          ${fields.map((field) => textField(field, problems, page.texts))}
          ${submitButton('complete-submit', texts.submit, texts.busy)}
        `,
      ),
      ways(wayLink(page.signInUrl, texts.haveAccount)),
    ],
  });
}
