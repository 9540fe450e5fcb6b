import type { ClientLinks } from '../domain/client-registration/metadata/client-links.js';
import { html, type Html } from '../rendering/html.js';
import { clientLinks } from './client-links-part.js';
import { form, formAddress, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import { passkeyForm } from './passkey-part.js';
import type { SignInProblem } from './problems.js';
import { signInFields } from './sign-in-part.js';

export interface SignInPage extends Page {
  readonly form: FormView;
  /** For the passkey, by which people sign in without a name or a password. */
  readonly passkeyForm?: FormView | undefined;
  /** Shown as "to continue to …". */
  readonly applicationName?: string | undefined;
  /** Its pages, if it registered itself. */
  readonly clientLinks?: ClientLinks | undefined;
  /** From `login_hint`, or what was typed before an error. The password is never given back. */
  readonly loginName?: string | undefined;
  readonly problem?: SignInProblem | undefined;
  readonly forgottenPasswordUrl?: string | undefined;
  /** For a signed-in user who has no other means for the fresh sign-in that the application requires. */
  readonly codeByMailUrl?: string | undefined;
  readonly createAccountUrl?: string | undefined;
  /** Whoever else people may sign in with, in the order of their buttons. */
  readonly providers?: readonly { readonly name: string; readonly url: string }[] | undefined;
  /** Names of providers that cannot enforce the fresh sign-in that the application requires. */
  readonly notAnew?: readonly string[] | undefined;
  /** The provider that somebody came back from, whose identity goes with the account that they sign in to now. */
  readonly connects?: string | undefined;
  /** The application sent somebody here to make an account, and nobody may make one. */
  readonly registrationOff?: boolean | undefined;
}

/** Login name and password in one form, which is what password managers fill best. */
export function renderSignInPage(page: SignInPage): string {
  const { texts, problem } = page;
  const fields = signInFields(page, page.passkeyForm === undefined ? 'username' : 'username webauthn');
  return renderPage(page, {
    heading: texts.signIn.title,
    lead:
      page.applicationName === undefined
        ? undefined
        : texts.signIn.continueTo.html({ application: named(page.applicationName) }),
    hasProblem: problem !== undefined,
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      page.registrationOff === true && registrationOff(page),
      page.connects !== undefined && connects(page.connects, page),
      page.notAnew !== undefined && page.notAnew.length > 0 && notAnew(page.notAnew, page),
      form(page.form, fields),
      page.passkeyForm && passkey(page, page.passkeyForm),
      providerButtons(page),
      otherWays(page),
      page.clientLinks && clientLinks(page.clientLinks, page.applicationName ?? '', texts),
    ],
  });
}

function passkey(page: SignInPage, view: FormView): Html {
  return passkeyForm(page, {
    form: view,
    challengePath: '/login/passkey/challenge',
    does: 'get',
    label: page.texts.passkeys.signIn,
    autofill: true,
  });
}

/** Links and no forms: what a form leads to, browsers hold against the page's policy. */
function providerButtons({ texts, providers = [] }: SignInPage): Html | undefined {
  if (providers.length === 0) return undefined;
  return html`<div class="providers">
    ${providers.map(
      ({ name, url }) =>
        html`<a class="button quiet" href="${url}"
          >${texts.signIn.continueWith.html({ provider: named(name) })}</a
        >`,
    )}
  </div>`;
}

function connects(provider: string, { texts }: SignInPage): Html {
  return html`<div class="prose notice">
    <p>${texts.signIn.connect.html({ provider: named(provider) })}</p>
  </div>`;
}

function notAnew(names: readonly string[], { texts }: SignInPage): Html {
  return html`<div class="prose notice">
    <p>${texts.signIn.notAnew.html({ providers: named(names.join(', ')) })}</p>
  </div>`;
}

function otherWays({
  texts,
  codeByMailUrl,
  forgottenPasswordUrl,
  createAccountUrl,
}: SignInPage): Html | undefined {
  return ways(
    codeByMailUrl !== undefined && wayLink(codeByMailUrl, texts.signIn.codeByMail),
    forgottenPasswordUrl !== undefined && wayLink(forgottenPasswordUrl, texts.signIn.forgottenPassword),
    createAccountUrl !== undefined && wayLink(createAccountUrl, texts.signIn.createAccount),
  );
}

function registrationOff({ texts: { errors } }: SignInPage): Html {
  return html`<div class="prose notice">
    <p><strong>${errors.kinds['registration-off'].title}</strong></p>
    <p>${errors.registrationOff}</p>
  </div>`;
}
