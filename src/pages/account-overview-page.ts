import { html } from '../rendering/html.js';
import { renderAccountPage, sectionList, type AccountPage, type AccountSection } from './account-layout.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { wayLink, ways } from './form-parts.js';

interface AccountOverviewPage extends AccountPage, ShownAccount {
  readonly sections: readonly AccountSection[];
  /** Whose account of this browser is shown can be chosen there. */
  readonly otherAccountUrl: string;
  readonly signOutUrl: string;
}

/** `/account`: who one is here, and everything that can be seen and changed of it. */
export function renderAccountOverviewPage(page: AccountOverviewPage): string {
  const { account: texts, waysOn } = page.texts;
  return renderAccountPage(page, {
    heading: texts.title,
    body: [
      accountBox(page, page.texts),
      sectionList(page.sections),
      html`<div class="actions">
        <a class="button quiet" href="${page.signOutUrl}">${waysOn.signOut}</a>
      </div>`,
      ways(wayLink(page.otherAccountUrl, waysOn.otherAccount)),
    ],
  });
}
