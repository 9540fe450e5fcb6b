import { renderAccountPage, type AccountPage } from './account-layout.js';
import { accountBox, type ShownAccount } from './account-part.js';
import {
  errorSummary,
  fieldProblems,
  form,
  quietSubmitButton,
  refusalBox,
  submitButton,
  textField,
  wayLink,
  ways,
  type FormView,
} from './form-parts.js';
import { named } from './layout.js';
import { hiddenLoginName } from './new-password-part.js';
import type { ConfirmProblem } from './problems.js';

export interface AccountConfirmPage extends AccountPage, ShownAccount {
  /** Undefined for whoever has no password. */
  readonly form: FormView | undefined;
  /** Those that know the reader. */
  readonly providers: readonly { readonly name: string; readonly form: FormView }[];
  readonly problem?: ConfirmProblem | 'idp-refused' | undefined;
  /** Signing in anew is as good a proof, by whatever ways there are. */
  readonly signInUrl: string;
  readonly address: string;
}

const FIELD_OF: Readonly<Record<ConfirmProblem, string>> = {
  'current-missing': 'password',
  'current-wrong': 'password',
  'too-busy': 'password',
  'too-many-attempts': 'password',
  'form-outdated': 'password',
};

/** Who the reader is, once more, because the last proof is too long ago for what comes next: a password, or a provider. */
export function renderAccountConfirmPage(page: AccountConfirmPage): string {
  const { form: formTexts, changePassword, signIn, account } = page.texts;
  const { confirm: texts } = account;
  const isRefused = page.problem === 'idp-refused';
  const typed = page.problem === 'idp-refused' ? undefined : page.problem;
  const problems = fieldProblems(typed === undefined ? [] : [typed], FIELD_OF, {
    ...formTexts.problems,
    ...changePassword.problems,
  });
  const password = textField(
    {
      id: 'password',
      label: formTexts.password,
      type: 'password',
      autocomplete: 'current-password',
      autofocus: problems.length === 0 && !isRefused,
    },
    problems,
    page.texts,
  );
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    hasProblem: isRefused || problems.length > 0,
    address: page.address,
    body: [
      accountBox(page, page.texts),
      isRefused
        ? refusalBox(texts.failed, signIn.problems['idp-refused'])
        : errorSummary(texts.failed, problems),
      page.form &&
        form(page.form, [
          hiddenLoginName(page.loginName),
          password,
          submitButton('confirm-submit', texts.submit, texts.busy),
        ]),
      page.providers.map((provider, index) =>
        form(
          provider.form,
          quietSubmitButton(
            `confirm-provider-${index + 1}`,
            signIn.continueWith.html({ provider: named(provider.name) }),
            account.identities.connecting,
          ),
        ),
      ),
      ways(wayLink(page.signInUrl, texts.signInAgain)),
    ],
  });
}
