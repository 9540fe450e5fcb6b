import { html, type Html } from '../../../domain/shared/html.js';
import { linkButton } from './form-parts.js';
import { named, type Page, renderPage } from './layout.js';

export interface HomePage extends Page {
  readonly discoveryUrl: string;
  readonly keysUrl: string;
  /** Only the address; the dashboard itself asks for an instance administrator. */
  readonly dashboardUrl?: string | undefined;
  /** Login names of the sessions in this browser. */
  readonly signedInAs?: readonly string[] | undefined;
  /** Said to administrators alone. */
  readonly mailsWait?: boolean | undefined;
  readonly signInUrl: string;
  readonly signOutUrl: string;
}

/** What stands at `/`: what this is and where developers read on. No version, nothing about who uses it. */
export function renderHomePage(page: HomePage): string {
  const { home: texts } = page.texts;
  return renderPage(page, {
    heading: texts.title,
    body: html`<div class="prose">
        <p>${texts.body(named(page.organization.name))}</p>
        <p>${texts.forPeople}</p>
      </div>
      ${account(page)}
      ${page.mailsWait === true && html`<div class="prose notice"><p>${texts.mailsWait}</p></div>`}
      <div>
        <h2>${texts.forDevelopers}</h2>
        <ul class="links">
          <li><a href="${page.discoveryUrl}">${texts.discovery}</a></li>
          <li><a href="${page.keysUrl}">${texts.keys}</a></li>
          ${
            page.dashboardUrl !== undefined &&
            html`<li><a href="${page.dashboardUrl}">${texts.dashboard}</a></li>`
          }
        </ul>
      </div>`,
  });
}

/** Who is signed in here, with the way out; or the way in. */
function account({ signedInAs = [], signInUrl, signOutUrl, texts: { home, waysOn } }: HomePage): Html {
  if (signedInAs.length === 0) return linkButton(signInUrl, waysOn.signIn);
  return html`<div class="prose notice">
      ${signedInAs.map((loginName) => html`<p>${home.signedInAs(named(loginName))}</p>`)}
    </div>
    <a class="button quiet" href="${signOutUrl}">${waysOn.signOut}</a>`;
}
