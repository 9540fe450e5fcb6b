import { html, type Html } from '../rendering/html.js';
import { fieldProblems, submitButton, textField } from './form-parts.js';
import type { ProblemTexts, SignInProblem } from './problems.js';
import type { Texts } from './texts.js';

const FIELD_OF: Readonly<Record<SignInProblem, 'loginName' | 'password'>> = {
  'wrong-credentials': 'password',
  'wrong-again': 'password',
  'passkey-refused': 'loginName',
  'login-name-missing': 'loginName',
  'password-missing': 'password',
  'idp-refused': 'loginName',
  'idp-unavailable': 'loginName',
  'idp-no-account': 'loginName',
  'too-busy': 'password',
  'too-many-attempts': 'password',
  'form-outdated': 'password',
};

/** Login name, password and the button, as a sign-in asks for them here and for a directory. The password is never given back. */
export function signInFields(
  page: {
    readonly texts: Texts;
    readonly loginName?: string | undefined;
    readonly problem?: SignInProblem | undefined;
  },
  autocomplete: 'username' | 'username webauthn',
): Html {
  const { texts, loginName, problem } = page;
  const problems = fieldProblems(problem === undefined ? [] : [problem], FIELD_OF, problemTexts(texts));
  const isNamed = loginName !== undefined && loginName !== '';
  // there is one problem at most, so it is shown once, at the field that has the focus
  const startsAt = problem === undefined ? (isNamed ? 'password' : 'loginName') : FIELD_OF[problem];
  return html`
    ${textField(
      {
        id: 'loginName',
        label: texts.form.loginName,
        type: 'text',
        inputmode: 'email',
        autocomplete,
        // a login_hint of any length comes in with the request; no login name is longer
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
}

/** One line each. */
function problemTexts({ form, signIn }: Texts): Readonly<Record<SignInProblem, ProblemTexts>> {
  const lines: Readonly<Record<SignInProblem, string>> = {
    ...signIn.problems,
    'too-busy': form.problems['too-busy'].summary,
    'too-many-attempts': form.problems['too-many-attempts'].summary,
    'form-outdated': form.problems['form-outdated'].summary,
  };
  const texts = Object.entries(lines).map(([problem, line]) => [problem, { summary: line, atField: line }]);
  return Object.fromEntries(texts) as Record<SignInProblem, ProblemTexts>;
}
