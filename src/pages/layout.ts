import { initial, singleLine } from '../domain/shared/display-text.js';
import { withAccent } from '../rendering/design-tokens.js';
import { attributes, html, raw, type Html, type HtmlValue } from '../rendering/html.js';
import { iconPath } from './design/assets.js';
import { colourProperties } from './design/style-rules.js';
import { stylesheetPath } from './design/stylesheet.js';
import { form, type FormView } from './form-parts.js';
import { pageScript } from './page-script.js';
import { pageLanguages, type Texts } from './texts.js';
import { unbroken } from './unbroken.js';

/**
 * The shell of every page a person sees: one card with the organization, one heading that says what to do, and a
 * footer. Pages are pure functions from a view to a whole HTML document; they need no script, hold no inline
 * style attribute, and fit the policy `default-src 'none'; style-src 'self' 'nonce-…'; script-src 'nonce-…';
 * img-src 'self'`.
 */

export interface Organization {
  readonly name: string;
  /** Picture of the name, on our own origin (the policy lets no other in). */
  readonly logoUrl?: string | undefined;
  /** `#rrggbb`; anything else is ignored. */
  readonly accent?: string | undefined;
}

/** Names the reader's own choice of a language. Not `ui_locales`, which is the application's wish. */
export const LANGUAGE_PARAMETER = 'language';

interface Footer {
  readonly helpUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
}

/** What every page's view carries besides its own fields. */
export interface Page {
  readonly texts: Texts;
  /** Nonce of the response's Content-Security-Policy. */
  readonly nonce: string;
  readonly organization: Organization;
  readonly footer?: Footer | undefined;
  /** If an application waits for this flow: cancels it, with access_denied. */
  readonly cancelForm?: FormView | undefined;
  /** Path and query that the browser asked for, of a page that asking again gives again; undefined after a form. */
  readonly askedFor?: string | undefined;
}

export interface PageContent {
  /** The one heading, and the first part of the document's title. */
  readonly heading: string;
  /** One muted line under the heading: who or what this is for. */
  readonly lead?: Html | string | undefined;
  readonly body: HtmlValue;
  /** Says so in the title, which is the first thing a screen reader speaks. */
  readonly hasProblem?: boolean | undefined;
  /** Icon above the heading of pages that only inform. */
  readonly sign?: keyof typeof SIGNS | undefined;
  /**
   * Path where a browser gets this page, or the next best, by asking. Given by pages that may be the answer to a
   * form: reload and the way back through the history then lead there, and not to the browser's own question
   * whether to send the form again.
   */
  readonly address?: string | undefined;
  /** A step wider than a sign-in page: the reader's own account. */
  readonly wide?: boolean | undefined;
  /** The page above this one, as a link in front of the heading. */
  readonly back?: { readonly url: string; readonly label: string } | undefined;
  /** In place of the script that every page has. */
  readonly script?: Html | undefined;
  /** Where a browser without scripts is redirected, once the page and its frames are loaded. */
  readonly onward?: string | undefined;
}

/** The whole document. */
export function renderPage(page: Page, content: PageContent): string {
  const { texts, nonce } = page;
  const organization = singleLine(page.organization.name);
  const title = content.hasProblem ? texts.layout.titleWithProblem : texts.layout.title;
  return html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title({ page: content.heading, organization })}</title>
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="${stylesheetPath}" />
        <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        ${accentStyle(page)} ${content.onward !== undefined && onward(content.onward)}
      </head>
      <body${attributes({ 'data-address': content.address })}>
        <div class="page">
          <main class="${content.wide === true ? 'card account-card' : 'card'}">
            ${brand(page.organization, organization)} ${content.back && backLink(content.back)}
            ${content.sign && sign(content.sign)}
            <h1>${unbroken(content.heading)}</h1>
            ${content.lead !== undefined && html`<p class="lead">${unbroken(content.lead)}</p>`}
            ${content.body} ${page.cancelForm && cancel(page.cancelForm, texts)}
          </main>
          ${footer(page, content.address ?? page.askedFor)}
        </div>
        ${content.script ?? pageScript(nonce)}
      </body>
    </html>`.toString();
}

/** A name others chose, set apart so that its direction of writing stays its own. */
export function named(name: string): Html {
  return html`<strong><bdi>${singleLine(name)}</bdi></strong>`;
}

/** The same without emphasis. */
export function isolated(text: string): Html {
  return html`<bdi>${singleLine(text)}</bdi>`;
}

/** The delay begins when everything is loaded (HTML §4.2.5.3), so it need be none. */
function onward(url: string): Html {
  return html`<noscript><meta http-equiv="refresh" content="0;url=${url}" /></noscript>`;
}

function backLink({ url, label }: { readonly url: string; readonly label: string }): Html {
  return html`<p class="back"><a href="${url}">${label}</a></p>`;
}

function brand(organization: Organization, name: string): Html {
  return organization.logoUrl === undefined
    ? html`<p class="brand">
        <span class="mark" aria-hidden="true">${initial(name)}</span><bdi>${name}</bdi>
      </p>`
    : html`<p class="brand"><img src="${organization.logoUrl}" alt="${name}" height="40" /></p>`;
}

/** Drawn in a square of 24. */
const SIGNS = {
  done: 'M5 12.5l4.5 4.5L19 7.5',
  problem: 'M12 6v7.5M12 17.5v.5',
  late: 'M12 4a8 8 0 1 0 0 16 8 8 0 1 0 0-16zM12 8v4.5l3 1.5',
  mail: 'M4 6.5h16v11.5h-16zM4.5 7.5l7.5 6 7.5-6',
  locked: 'M6.5 11h11v8.5h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
} as const;

function sign(kind: keyof typeof SIGNS): Html {
  const strokes = attributes({
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 2,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  });
  return html`<div class="sign ${kind}" aria-hidden="true">
    <svg width="24" height="24" viewBox="0 0 24 24" ${strokes}><path d="${SIGNS[kind]}" /></svg>
  </div>`;
}

/** An organization's own accent. Its values were made by `withAccent`, so they are colours and nothing else. */
function accentStyle({ organization, nonce }: Page): Html | undefined {
  if (organization.accent === undefined) return undefined;
  const { light, dark } = withAccent(organization.accent);
  const { accent, accentHover, onAccent } = light;
  const shared = colourProperties({ accent, accentHover, onAccent, accentText: light.accentText });
  const inDark = colourProperties({ accent, accentHover, onAccent, accentText: dark.accentText });
  return html`<style nonce="${nonce}">
    ${raw(`:root{${shared}}@media(prefers-color-scheme:dark){:root{${inDark}}}`)}
  </style>`;
}

/** The last and quietest of the ways on from a page, in a form since it ends something. */
function cancel(view: FormView, { waysOn }: Texts): Html {
  return html`<div class="cancel">
    ${form(view, html`<button type="submit" id="login-cancel">${waysOn.cancel}</button>`)}
  </div>`;
}

function footer({ texts, footer: links }: Page, address: string | undefined): Html | undefined {
  const languages = languageLinks(address, texts);
  if (languages === undefined && links?.helpUrl === undefined && links?.privacyUrl === undefined)
    return undefined;
  return html`<footer class="foot">
    ${languages} ${links?.helpUrl !== undefined && html`<a href="${links.helpUrl}">${texts.layout.help}</a>`}
    ${links?.privacyUrl !== undefined && html`<a href="${links.privacyUrl}">${texts.layout.privacy}</a>`}
  </footer>`;
}

/** The same page in each language. A page that cannot be asked for again has none: such a link would break. */
function languageLinks(address: string | undefined, texts: Texts): Html | undefined {
  const here = address === undefined ? undefined : ownAddress(address);
  if (here === undefined) return undefined;
  const link = ({ tag, name }: (typeof pageLanguages)[number]): Html => {
    if (tag === texts.language) return html`<li><span lang="${tag}" aria-current="true">${name}</span></li>`;
    here.searchParams.set(LANGUAGE_PARAMETER, tag);
    return html`<li>
      <a href="${here.pathname}${here.search}" lang="${tag}" hreflang="${tag}">${name}</a>
    </li>`;
  };
  return html`<nav aria-label="${texts.layout.language}">
    <details>
      <summary>${texts.languageName}</summary>
      <ul>
        ${pageLanguages.map(link)}
      </ul>
    </details>
  </nav>`;
}

/** Past this, ten links to it would weigh more than the page. */
const LONGEST_LINKED = 2000;

/** An address of our own that a link may lead to; whoever wrote the request line wrote it, so `//evil.test` is none. */
function ownAddress(address: string): URL | undefined {
  if (address.length > LONGEST_LINKED || !/^\/(?![/\\])/.test(address)) return undefined;
  const url = new URL(address, 'http://page.invalid');
  return url.pathname.startsWith('//') ? undefined : url;
}
