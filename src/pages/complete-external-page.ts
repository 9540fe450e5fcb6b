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

interface CompleteExternalPage extends Page {
  readonly form: FormView;
  /** The provider that somebody came back from. */
  readonly providerName: string;
  /** Another user name alone, or the address and what else is missing. */
  readonly asks: 'loginName' | 'email';
  /** The user name that it gives them, and somebody here has. */
  readonly takenName?: string | undefined;
  /** That somebody may be they: they sign in, and the two are connected. */
  readonly mayBeTheirs?: boolean | undefined;
  /** Which of them it did not say either. */
  readonly names: readonly ('firstName' | 'lastName')[];
  /** What was typed before an error. */
  readonly loginName?: string | undefined;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly problems?: readonly CompleteExternalProblem[] | undefined;
  readonly signInUrl: string;
}

const FIELD_OF: Readonly<Record<CompleteExternalProblem, string>> = {
  'login-name-missing': 'loginName',
  'login-name-not-valid': 'loginName',
  'login-name-not-available': 'loginName',
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
  const first = page.asks;
  const fieldOf = { ...FIELD_OF, 'too-many-attempts': first, 'form-outdated': first };
  const problems = fieldProblems(page.problems ?? [], fieldOf, {
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
  const firstFields: Readonly<Record<'loginName' | 'email', TextField>> = {
    loginName: {
      id: 'loginName',
      label: texts.loginName,
      type: 'text',
      autocomplete: 'username',
      value: page.loginName?.slice(0, 500),
      autofocus: problems.length === 0,
    },
    email: {
      id: 'email',
      label: formTexts.email,
      hint: texts.emailHint,
      type: 'email',
      inputmode: 'email',
      autocomplete: 'email',
      value: page.email?.slice(0, 500),
      autofocus: problems.length === 0,
    },
  };
  const fields: readonly TextField[] = [
    firstFields[first],
    ...order.filter((name) => page.names.includes(name)).map((name) => nameFields[name]),
  ];
  return renderPage(page, {
    heading: texts.title,
    lead: leadOf(page),
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      errorSummary(texts.failed, problems),
      page.mayBeTheirs === true &&
        html`<p>${texts.takenNameMayBeYours.html({ provider: named(page.providerName) })}</p>`,
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

function leadOf({ takenName, providerName, texts: { register: texts } }: CompleteExternalPage) {
  const provider = named(providerName);
  return takenName === undefined
    ? texts.withoutAddress.html({ provider })
    : texts.withTakenName.html({ provider, name: named(takenName) });
}
