import { html } from '../rendering/html.js';
import { renderAccountPage, sectionList, type AccountPage, type AccountSection } from './account-layout.js';
import type { FormView } from './form-parts.js';
import { named } from './layout.js';
import { agoInWords } from './moments.js';

interface ShownApplication {
  readonly name: string;
  /** Name of the organization that has it. */
  readonly ownerName: string;
  /** How far it may act for the reader in the administration; most may not. */
  readonly access?: 'organization' | 'instance' | undefined;
  readonly offline: boolean;
  readonly lastUsedAt: Date;
  readonly revoke: FormView;
}

interface AccountApplicationsPage extends AccountPage {
  readonly applications: readonly ShownApplication[];
  /** The reader's own. */
  readonly organizationName: string;
  readonly now: Date;
}

/** Who else knows the reader, and may act for them. */
export function renderAccountApplicationsPage(page: AccountApplicationsPage): string {
  const { applications: texts } = page.texts.account;
  const isEmpty = page.applications.length === 0;
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: isEmpty ? texts.none : texts.lead,
    body: !isEmpty && [
      sectionList(page.applications.map((application, index) => sectionOf(application, index + 1, page))),
      html`<p class="hint">${texts.after}</p>`,
    ],
  });
}

function sectionOf(
  application: ShownApplication,
  number: number,
  { texts, organizationName, now }: AccountApplicationsPage,
): AccountSection {
  const { owner, offline, organization, instance, lastUsed, revoke, revoking } = texts.account.applications;
  const { access } = application;
  return {
    id: `application-${number}`,
    heading: application.name,
    state: [
      owner.html({ organization: named(application.ownerName) }),
      ...(access === undefined
        ? []
        : [access === 'instance' ? instance : organization.html({ organization: named(organizationName) })]),
      ...(application.offline ? [offline] : []),
      lastUsed.html({ when: agoInWords(application.lastUsedAt, now, texts) }),
    ],
    action: { form: application.revoke, label: revoke, busy: revoking },
  };
}
