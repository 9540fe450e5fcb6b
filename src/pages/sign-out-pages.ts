import { html } from '../rendering/html.js';
import { form, linkButton, submitButton, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';

export interface SignOutPage extends Page {
  readonly form: FormView;
  /** Where "stay signed in" leads. */
  readonly stayUrl?: string | undefined;
}

/** Asked when a sign-out request does not prove that the person at the browser wants it (RP-Initiated Logout §2). */
export function renderSignOutPage(page: SignOutPage): string {
  const { signOut: texts } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    body: [
      html`<p>${texts.body.html({ organization: named(page.organization.name) })}</p>`,
      html`<div class="actions">
        ${form(page.form, submitButton('logout-confirm', texts.submit, texts.busy))}
        ${page.stayUrl !== undefined && html`<a class="button quiet" href="${page.stayUrl}">${texts.stay}</a>`}
      </div>`,
    ],
  });
}

export interface SignedOutPage extends Page {
  readonly signInUrl?: string | undefined;
}

/** The end-session endpoint says so again, as long as nobody has signed in. */
const SIGNED_OUT_ADDRESS = '/oidc/v1/end_session';

/** Its text holds "signed out", which scripted checks look for. */
export function renderSignedOutPage(page: SignedOutPage): string {
  const { signedOut: texts, waysOn } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.title,
    address: SIGNED_OUT_ADDRESS,
    body: [
      html`<div class="prose">
        <p>${texts.body}</p>
        <p>${texts.shared}</p>
      </div>`,
      page.signInUrl !== undefined && linkButton(page.signInUrl, waysOn.signIn),
    ],
  });
}
