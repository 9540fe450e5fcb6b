import { html } from '../rendering/html.js';
import { renderAccountPage, sectionList, type AccountPage, type AccountSection } from './account-layout.js';
import type { FormView } from './form-parts.js';
import { isolated } from './layout.js';
import { dayOf } from './moments.js';
import type { Texts } from './texts.js';

interface ShownIdentity {
  readonly providerName: string;
  /** What the provider calls the reader. */
  readonly displayName: string;
  readonly createdAt: Date;
  readonly disconnect: FormView;
}

interface AccountIdentitiesPage extends AccountPage {
  readonly identities: readonly ShownIdentity[];
  readonly others: readonly { readonly name: string; readonly connect: FormView }[];
}

/** Who the reader is elsewhere, and what else they could sign in with. */
export function renderAccountIdentitiesPage(page: AccountIdentitiesPage): string {
  const { texts, identities, others } = page;
  const { identities: words } = texts.account;
  const own = identities.map((identity, index) => sectionOf(identity, index + 1, texts));
  const more = others.map(({ name, connect }, index): AccountSection => ({
    id: `provider-${index + 1}`,
    heading: name,
    state: [],
    action: { form: connect, label: words.connect({ provider: name }), busy: words.connecting },
  }));
  return renderAccountPage(page, {
    within: 'security',
    heading: words.title,
    lead: identities.length === 0 ? words.none : words.lead,
    body: html`${own.length > 0 && sectionList(own)} ${more.length > 0 && sectionList(more)}`,
  });
}

function sectionOf(identity: ShownIdentity, number: number, texts: Texts): AccountSection {
  const { since, disconnect, disconnecting } = texts.account.identities;
  const { providerName, displayName, createdAt } = identity;
  return {
    id: `identity-${number}`,
    heading: providerName,
    state: [isolated(displayName), since.html({ day: dayOf(createdAt, texts) })],
    action: { form: identity.disconnect, label: disconnect, busy: disconnecting },
  };
}
