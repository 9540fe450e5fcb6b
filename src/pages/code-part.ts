import { html, type Html } from '../rendering/html.js';
import { errorSummary, fieldProblems, form, submitButton, textField, type FormView } from './form-parts.js';
import type { CodeProblem, ProblemTexts, VerifyEmailProblem } from './problems.js';
import type { Texts } from './texts.js';

const FIELD_OF: Readonly<Record<VerifyEmailProblem, string>> = {
  'code-missing': 'code',
  'code-not-valid': 'code',
  'code-unchecked': 'code',
  'too-many-attempts': 'code',
  'form-outdated': 'code',
};

interface CodeForm {
  readonly form: FormView;
  /** From the message's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
  /** Digits that came by SMS. */
  readonly bySms?: boolean | undefined;
  readonly texts: Texts;
}

/** Error summary and form of a page that asks for the code of a message. */
export function codeForm(
  page: CodeForm,
  texts: {
    readonly failed: string;
    readonly submit: string;
    readonly busy: string;
    readonly problems?: Readonly<Record<CodeProblem, ProblemTexts>>;
  },
  secondButton?: Html,
) {
  const { code: codeTexts, form: formTexts } = page.texts;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...formTexts.problems,
    ...(texts.problems ?? codeTexts.problems),
  });
  const code = textField(
    {
      id: 'code',
      label: formTexts.code,
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: page.bySms === true ? 'numeric' : undefined,
      bySms: page.bySms,
      value: page.code,
      autofocus: problems.length === 0 && (page.code === undefined || page.code === ''),
    },
    problems,
    page.texts,
  );
  return [
    errorSummary(texts.failed, problems),
    form(
      page.form,
      html`
        ${code}
        <div class="actions">${submitButton('verify-submit', texts.submit, texts.busy)} ${secondButton}</div>
      `,
    ),
  ];
}
