import { attributes, html, raw, type Html } from '../rendering/html.js';
import { form, linkButton, submitButton, type FormView } from './form-parts.js';
import { sendAtOnce } from './form-post-page.js';
import { named, renderPage, type Page } from './layout.js';

interface SignOutPage extends Page {
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

interface SignOutAgainPage extends Page {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

/** Posts again from our own page what another site has posted, so that the cookie is sent along. Without scripts the button does it. */
export function renderSignOutAgainPage(page: SignOutAgainPage): string {
  const { signingOut: texts, formPost } = page.texts;
  const fields = Object.entries(page.hidden).map(
    ([name, value]) => html`<input${attributes({ type: 'hidden', name, value })} />`,
  );
  return renderPage(
    // asking for it again would be without what was posted
    { ...page, askedFor: undefined },
    {
      heading: texts.title,
      body: html`<form method="post" action="${page.action}" id="answer">
        ${fields}
        <button class="button" type="submit" id="continue-submit">${formPost.submit}</button>
      </form>`,
      script: sendAtOnce(page.nonce),
    },
  );
}

/** Front-channel logout URIs of applications, with the parameters of the call. */
interface Frames {
  readonly frames?: readonly string[] | undefined;
}

/**
 * Each in a sandbox: it may run its scripts and reach its own cookies and storage, and cannot take the person away from our page.
 */
function logoutFrames({ frames = [] }: Frames): readonly Html[] {
  return frames.map(
    (url) =>
      html`<iframe
        src="${url}"
        sandbox="allow-scripts allow-same-origin allow-forms"
        referrerpolicy="no-referrer"
        hidden
      ></iframe>`,
  );
}

interface SigningOutPage extends Page, Frames {
  /** The application's registered post-logout redirect URI, with its state. */
  readonly target: string;
}

/** How long an application that does not answer keeps everybody. */
const LONGEST_WAIT_MS = 5000;

/** On the way back to an application, while others are notified of the logout (Front-Channel Logout §3). */
export function renderSigningOutPage(page: SigningOutPage): string {
  const { signingOut: texts, formPost } = page.texts;
  return renderPage(
    // requesting the page again would redirect at once: the session has ended
    { ...page, askedFor: undefined },
    {
      heading: texts.title,
      onward: page.target,
      body: [
        html`<p>${texts.body}</p>
          <a class="button" id="go-on" href="${page.target}">${formPost.submit}</a>`,
        logoutFrames(page),
      ],
      script: goOn(page.nonce),
    },
  );
}

/** A page is loaded when all its frames are. Replaced in the history: the way back must not lead here. */
function goOn(nonce: string): Html {
  return html`<script nonce="${nonce}">
    ${raw(`(function () {
  var gone = false;
  function go() {
    if (gone) return;
    gone = true;
    location.replace(document.getElementById('go-on').href);
  }
  window.addEventListener('load', go);
  setTimeout(go, ${LONGEST_WAIT_MS});
})()`)};
  </script>`;
}

interface SignedOutPage extends Page, Frames {
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
      logoutFrames(page),
    ],
  });
}
