import { html } from '../rendering/html.js';
import {
  fieldProblems,
  form,
  formAddress,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { SignInProblem } from './problems.js';
import { FIELD_OF, problemTexts } from './sign-in-page.js';

export interface DirectoryPage extends Page {
  readonly form: FormView;
  /** Names the sign-in that was begun. */
  readonly state: string;
  readonly provider: string;
  /** From what was typed before, or before an error. The password is never given back. */
  readonly loginName?: string | undefined;
  readonly problem?: SignInProblem | undefined;
  /** Undefined for somebody who is signed in already. */
  readonly signInUrl?: string | undefined;
}

/** Name and password of somebody in a directory, which has no page of its own to send them to. */
export function renderDirectoryPage(page: DirectoryPage): string {
  const { texts, problem, provider, loginName } = page;
  const problems = fieldProblems(problem === undefined ? [] : [problem], FIELD_OF, problemTexts(texts));
  const isNamed = loginName !== undefined && loginName !== '';
  const startsAt = problem === undefined ? (isNamed ? 'password' : 'loginName') : FIELD_OF[problem];
  const fields = html`
    ${textField(
      {
        id: 'loginName',
        label: texts.form.loginName,
        type: 'text',
        inputmode: 'email',
        autocomplete: 'username',
        value: loginName?.slice(0, 500),
        autofocus: startsAt === 'loginName',
      },
      problems,
      texts,
    )}
    ${textField(
      {
        id: 'password',
        label: texts.form.password,
        type: 'password',
        autocomplete: 'current-password',
        autofocus: startsAt === 'password',
      },
      problems,
      texts,
    )}
    ${submitButton('login-submit', texts.signIn.submit, texts.signIn.busy)}
  `;
  return renderPage(page, {
    heading: texts.signIn.title,
    lead: texts.signIn.continueWith.html({ provider: named(provider) }),
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { state: page.state }),
    body: [
      form(page.form, fields),
      page.signInUrl !== undefined && ways(wayLink(page.signInUrl, texts.forgottenPassword.backToSignIn)),
    ],
  });
}
