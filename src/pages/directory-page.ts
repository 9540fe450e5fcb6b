import { form, formAddress, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { SignInProblem } from './problems.js';
import { signInFields } from './sign-in-part.js';

interface DirectoryPage extends Page {
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
  const { texts, problem, provider } = page;
  return renderPage(page, {
    heading: texts.signIn.title,
    lead: texts.signIn.continueWith.html({ provider: named(provider) }),
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { state: page.state }),
    body: [
      form(page.form, signInFields(page, 'username')),
      page.signInUrl !== undefined && ways(wayLink(page.signInUrl, texts.forgottenPassword.backToSignIn)),
    ],
  });
}
