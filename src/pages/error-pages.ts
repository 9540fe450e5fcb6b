import { singleLine } from '../domain/shared/display-text.js';
import type { ParameterFault } from '../domain/shared/errors.js';
import { html, type Html, type HtmlValue } from '../rendering/html.js';
import { form, linkButton, type FormView } from './form-parts.js';
import { renderPage, type Page } from './layout.js';
import type { ErrorKind } from './problems.js';
import type { Texts } from './texts.js';

export interface ErrorPage extends Page {
  readonly kind: ErrorKind;
  /** Name of the offending parameter, as it is on the wire: `redirect_uri`. */
  readonly parameter?: string | undefined;
  /** The error of the parameter: shown in the reader's language, instead of the description. */
  readonly fault?: ParameterFault | undefined;
  /** `error_description` as the application would have got it, in English for its makers. */
  readonly description?: string | undefined;
  /** OAuth error code. */
  readonly error?: string | undefined;
  /** What operators search their log for. */
  readonly referenceId: string;
  readonly retryAfterSeconds?: number | undefined;
  /** The way out of it, where there is one. */
  readonly wayOn?: { readonly to: 'beginAgain' | 'signIn'; readonly url: string } | undefined;
}

/** Errors that end the flow and cannot be returned to the application by a redirect. */
export function renderErrorPage(page: ErrorPage): string {
  const { title, next } = page.texts.errors.kinds[page.kind];
  return renderPage(page, {
    sign: page.kind === 'too-many-requests' ? 'late' : 'problem',
    heading: title,
    hasProblem: true,
    body: html`<div class="prose">
        <p>${cause(page)}</p>
        <p>${page.retryAfterSeconds === undefined ? next : wait(page.retryAfterSeconds, page.texts)}</p>
      </div>
      ${facts(page)} ${page.wayOn && linkButton(page.wayOn.url, page.texts.waysOn[page.wayOn.to])}`,
  });
}

interface ExpiredPage extends Page {
  /** Restarts the same sign-in; without it the reader is sent back to the application. */
  readonly beginAgainUrl?: string | undefined;
  readonly referenceId?: string | undefined;
}

/** A sign-in that was open for too long, or whose form came back after it was finished. */
export function renderExpiredPage(page: ExpiredPage): string {
  const { expired, waysOn } = page.texts;
  return renderPage(page, {
    sign: 'late',
    heading: expired.title,
    body: [
      html`<div class="prose">
        <p>${expired.body}</p>
        <p>${page.beginAgainUrl === undefined ? expired.nextWithoutLink : expired.next}</p>
      </div>`,
      page.beginAgainUrl !== undefined && linkButton(page.beginAgainUrl, waysOn.beginAgain),
      page.referenceId !== undefined && reference(page.referenceId, page.texts),
    ],
  });
}

/** How a link came to its reader: in a mail, in an SMS, or from somebody who had it made. */
export type LinkOrigin = 'mail' | 'sms' | 'hand';

interface LinkOverPage extends Page {
  /** A mail, where nothing is said. */
  readonly cameBy?: LinkOrigin | undefined;
  readonly signInUrl?: string | undefined;
  readonly referenceId?: string | undefined;
}

/** Behind a link whose code was used, replaced or withdrawn, or is too old. */
export function renderLinkOverPage(page: LinkOverPage): string {
  const { linkOver, verifyPhone, passkeyLink, waysOn } = page.texts;
  const next = { mail: linkOver.next, sms: verifyPhone.linkOver, hand: passkeyLink.over };
  return renderPage(page, {
    sign: 'late',
    heading: linkOver.title,
    body: [
      html`<div class="prose">
        <p>${linkOver.body}</p>
        <p>${next[page.cameBy ?? 'mail']}</p>
      </div>`,
      page.signInUrl !== undefined && linkButton(page.signInUrl, waysOn.signIn),
      page.referenceId !== undefined && reference(page.referenceId, page.texts),
    ],
  });
}

/**
 * Behind the link of a registration's mail in a browser that did not begin it, or no longer can finish it. It says
 * where to continue and offers no way to do it here, where the password could be a stranger's.
 */
export function renderRegisterElsewherePage(page: Page): string {
  const { registerElsewhere: texts } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    body: html`<div class="prose">
      <p>${texts.body}</p>
      <p>${texts.over}</p>
      <p>${texts.notYou}</p>
    </div>`,
  });
}

interface ForbiddenPage extends Page {
  /** Login name of the session that was not enough. */
  readonly loginName: string;
  /** Sign-in page that asks for another account. */
  readonly otherAccountUrl?: string | undefined;
  /** Signs this browser out. */
  readonly signOut?: FormView | undefined;
  readonly referenceId?: string | undefined;
}

/** Signed in, but not as an instance administrator. */
export function renderForbiddenPage(page: ForbiddenPage): string {
  const { errors, forbidden, waysOn, form: formTexts } = page.texts;
  return renderPage(page, {
    sign: 'locked',
    heading: forbidden.title,
    hasProblem: true,
    body: [
      html`<div class="prose">
        <p>${forbidden.body}</p>
        <p>${forbidden.next}</p>
      </div>`,
      html`<dl class="facts notice">
        ${fact(formTexts.account, html`<bdi>${singleLine(page.loginName)}</bdi>`)}
        ${page.referenceId !== undefined && fact(errors.reference, html`<code>${page.referenceId}</code>`)}
      </dl>`,
      html`<div class="actions">
        ${page.otherAccountUrl !== undefined && linkButton(page.otherAccountUrl, waysOn.otherAccount)}
        ${
          page.signOut &&
          form(page.signOut, html`<button class="button quiet" type="submit">${waysOn.signOut}</button>`)
        }
      </div>`,
    ],
  });
}

function cause({ kind, parameter, texts: { errors } }: ErrorPage): HtmlValue {
  switch (kind) {
    case 'request':
    case 'sign-out-request':
      return parameter === undefined
        ? errors.request
        : errors.requestNamed.html({ parameter: html`<code>${singleLine(parameter, 100)}</code>` });
    case 'form':
      return errors.form;
    case 'registration-off':
      return errors.registrationOff;
    case 'not-found':
      return errors.notFound;
    case 'too-many-requests':
      return errors.tooManyRequests;
    case 'unavailable':
      return errors.unavailable;
    case 'server':
      return errors.server;
  }
}

function wait(seconds: number, { errors }: Texts): string {
  return seconds < 90
    ? errors.waitSeconds({ seconds: Math.max(1, Math.ceil(seconds)) })
    : errors.waitMinutes({ minutes: Math.ceil(seconds / 60) });
}

function facts(page: ErrorPage): Html {
  const {
    parameter,
    error,
    referenceId,
    texts: { errors },
  } = page;
  const why = reason(page);
  return html`<dl class="facts notice">
    ${parameter !== undefined && fact(errors.parameter, html`<code>${singleLine(parameter, 100)}</code>`)}
    ${why !== undefined && fact(errors.reason, why)}
    ${error !== undefined && fact(errors.code, html`<code>${error}</code>`)}
    ${fact(errors.reference, html`<code>${referenceId}</code>`)}
  </dl>`;
}

function reason({ parameter, fault, description, texts: { errors } }: ErrorPage): Html | undefined {
  if (parameter !== undefined && fault !== undefined) {
    return errors.reasons[fault].html({ parameter: html`<code>${singleLine(parameter, 100)}</code>` });
  }
  return description === undefined ? undefined : html`<span lang="en">${singleLine(description, 300)}</span>`;
}

function reference(referenceId: string, { errors, labelled }: Texts): Html {
  return html`<p class="hint">${labelled({ label: errors.reference })} <code>${referenceId}</code></p>`;
}

function fact(term: string, description: HtmlValue): Html {
  return html`<div>
    <dt>${term}</dt>
    <dd>${description}</dd>
  </div>`;
}
