import { html } from '../rendering/html.js';
import { linkButton } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import { maskedAddress } from './verify-email-page.js';

/** The way on from a finished step: back into the application's sign-in, or to our own. */
interface WayOn {
  readonly url: string;
  readonly applicationName?: string | undefined;
}

interface PasswordSetPage extends Page {
  /** Given when setting the password verified this address as well; shown masked. */
  readonly verifiedEmail?: string | undefined;
  /** Setting it ended the account's other sessions. */
  readonly otherSessionsEnded?: boolean | undefined;
  readonly wayOn?: WayOn | undefined;
}

export function renderPasswordSetPage(page: PasswordSetPage): string {
  const { passwordSet: texts } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.title,
    body: [
      html`<div class="prose">
        <p>
          ${
            page.verifiedEmail === undefined
              ? texts.body
              : texts.bodyWithEmail.html({ address: named(maskedAddress(page.verifiedEmail)) })
          }
        </p>
        ${page.otherSessionsEnded === true && html`<p>${texts.signedOutElsewhere}</p>`}
      </div>`,
      wayOn(page, page.wayOn),
    ],
  });
}

interface PasskeyMadePage extends Page {
  readonly wayOn: WayOn;
}

/** After a passkey was added by a link: nobody is signed in by that. */
export function renderPasskeyMadePage(page: PasskeyMadePage): string {
  const { passkeyLink: texts } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.done,
    body: [html`<p>${texts.useIt}</p>`, wayOn(page, page.wayOn)],
  });
}

interface EmailVerifiedPage extends Page {
  /** Shown masked. */
  readonly email?: string | undefined;
  readonly wayOn?: WayOn | undefined;
}

export function renderEmailVerifiedPage(page: EmailVerifiedPage): string {
  const { emailVerified: texts } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.title,
    body: [
      html`<p>
        ${page.email === undefined ? texts.bodyWithoutAddress : texts.body.html({ address: named(maskedAddress(page.email)) })}
      </p>`,
      wayOn(page, page.wayOn) ?? html`<p class="lead">${texts.closeWindow}</p>`,
    ],
  });
}

function wayOn({ texts: { waysOn: texts } }: Page, way: WayOn | undefined) {
  if (way === undefined) return undefined;
  return linkButton(
    way.url,
    way.applicationName === undefined
      ? texts.signIn
      : html`<span>${texts.continueTo.html({ application: named(way.applicationName) })}</span>`,
  );
}
