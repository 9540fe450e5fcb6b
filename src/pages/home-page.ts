import { html, type Html } from '../rendering/html.js';
import { linkButton } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { Texts } from './texts.js';

export interface AdministrationLinks {
  readonly discoveryUrl: string;
  readonly keysUrl: string;
  readonly apiReferenceUrl: string;
  readonly dashboardUrl: string;
}

export interface HomePage extends Page {
  /** For those who run the service; people have no use for them. */
  readonly administration?: AdministrationLinks | undefined;
  /** Login names of the sessions in this browser. */
  readonly signedInAs?: readonly string[] | undefined;
  /** Said to administrators alone. */
  readonly mailsWait?: boolean | undefined;
  readonly signInUrl: string;
  readonly signOutUrl: string;
}

/** What stands at `/`: what this is and, for administrators, where to read on. No version, nothing about who uses it. */
export function renderHomePage(page: HomePage): string {
  const { home: texts } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    body: html`<div class="prose">
        <p>${texts.body.html({ service: named(page.organization.name) })}</p>
        <p>${texts.forPeople}</p>
      </div>
      ${account(page)}
      ${page.mailsWait === true && html`<div class="prose notice"><p>${texts.mailsWait}</p></div>`}
      ${page.administration && administrationLinks(page.administration, texts)}`,
  });
}

function administrationLinks(urls: AdministrationLinks, texts: Texts['home']): Html {
  return html`<div>
    <h2>${texts.forAdministrators}</h2>
    <ul class="links">
      <li><a href="${urls.dashboardUrl}">${texts.dashboard}</a></li>
      <li><a href="${urls.apiReferenceUrl}">${texts.apiReference}</a></li>
      <li><a href="${urls.discoveryUrl}">${texts.discovery}</a></li>
      <li><a href="${urls.keysUrl}">${texts.keys}</a></li>
    </ul>
  </div>`;
}

/** Who is signed in here, with the way out; or the way in. */
function account({ signedInAs = [], signInUrl, signOutUrl, texts: { home, waysOn } }: HomePage): Html {
  if (signedInAs.length === 0) return linkButton(signInUrl, waysOn.signIn);
  return html`<div class="prose notice">
      ${signedInAs.map((loginName) => html`<p>${home.signedInAs.html({ loginName: named(loginName) })}</p>`)}
    </div>
    <a class="button quiet" href="${signOutUrl}">${waysOn.signOut}</a>`;
}
