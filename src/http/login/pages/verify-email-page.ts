import { html } from '../../../domain/shared/html.js';
import type { VerifyEmailProblem } from '../texts/texts.js';
import {
  errorSummary,
  type FieldProblem,
  form,
  type FormView,
  submitButton,
  textField,
} from './form-parts.js';
import { named, type Page, renderPage } from './layout.js';

export interface VerifyEmailPage extends Page {
  readonly form: FormView;
  /** The address the code went to; the page shows it masked, since whoever has the link sees it. */
  readonly sentTo?: string | undefined;
  /** From the mail's link, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem | undefined;
  readonly newCodeUrl?: string | undefined;
}

/**
 * The code of the mail, filled in when the link brought it. The page asks for a press on the button even then:
 * mail scanners open links, and must not be the ones who verify.
 */
export function renderVerifyEmailPage(page: VerifyEmailPage): string {
  const { texts, problem } = page;
  const problems: readonly FieldProblem[] =
    problem === undefined ? [] : [{ field: 'code', texts: texts.verifyEmail.problems[problem] }];
  const fields = html`
    ${textField(
      {
        id: 'code',
        label: texts.form.code,
        type: 'text',
        autocomplete: 'one-time-code',
        value: page.code,
        autofocus: problem === undefined && (page.code === undefined || page.code === ''),
      },
      problems,
      texts,
    )}
    ${submitButton('verify-submit', texts.verifyEmail.submit, texts.verifyEmail.busy)}
  `;
  return renderPage(page, {
    heading: texts.verifyEmail.title,
    lead:
      page.sentTo === undefined
        ? texts.verifyEmail.lead
        : texts.verifyEmail.sentTo(named(maskedAddress(page.sentTo))),
    hasProblem: problem !== undefined,
    body: [
      errorSummary(texts.verifyEmail.failed, problems),
      form(page.form, fields),
      page.newCodeUrl !== undefined &&
        html`<ul class="ways">
          <li><a href="${page.newCodeUrl}">${texts.verifyEmail.newCode}</a></li>
        </ul>`,
    ],
  });
}

/** `ada.lovelace@example.com` as `a•••@example.com`: enough to know the mailbox by, too little to learn it. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '•••' : `${Array.from(address)[0] ?? ''}•••${address.slice(at)}`;
}
