import { html } from '../../../domain/shared/html.js';
import { linkButton } from './form-parts.js';
import { named, type Page, renderPage } from './layout.js';
import { maskedAddress } from './verify-email-page.js';

/** The way on from a finished step: back into the application's sign-in, or to our own. */
export interface WayOn {
  readonly url: string;
  readonly applicationName?: string | undefined;
}

export interface PasswordSetPage extends Page {
  /** Given when setting the password verified this address as well; shown masked. */
  readonly verifiedEmail?: string | undefined;
  readonly wayOn?: WayOn | undefined;
}

export function renderPasswordSetPage(page: PasswordSetPage): string {
  const { passwordSet: texts } = page.texts;
  return renderPage(page, {
    sign: 'done',
    heading: texts.title,
    body: [
      html`<p>
        ${
          page.verifiedEmail === undefined
            ? texts.body
            : texts.bodyWithEmail(named(maskedAddress(page.verifiedEmail)))
        }
      </p>`,
      wayOn(page, page.wayOn),
    ],
  });
}

export interface EmailVerifiedPage extends Page {
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
        ${page.email === undefined ? texts.bodyWithoutAddress : texts.body(named(maskedAddress(page.email)))}
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
      : html`<span>${texts.continueTo(named(way.applicationName))}</span>`,
  );
}
