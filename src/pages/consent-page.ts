import type { ClientLinks } from '../domain/client-registration/metadata/client-links.js';
import { singleLine } from '../domain/shared/display-text.js';
import { attributes, html, type Html, type HtmlValue } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { clientLinks } from './client-links-part.js';
import { form, formAddress, submitButton, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';

interface ConsentPage extends Page, ShownAccount {
  /** Its buttons send `decision=allow` or `decision=deny`. */
  readonly form: FormView;
  readonly applicationName: string;
  /** By its own name and domain: what it likes to be called elsewhere could be anybody's name. */
  readonly owner: { readonly name: string; readonly domain: string };
  /** `none` for a device that signs its user in and does nothing here. */
  readonly access: 'none' | 'organization' | 'instance';
  /** It may change the reader's account as well: one that is within its reach. */
  readonly ownAccount: boolean;
  /** Host, or scheme of an application on the reader's device, that the answer goes to. */
  readonly returnsTo?: string | undefined;
  /** A device that asks (RFC 8628): the code that it shows, and the network address that it asked from. */
  readonly device?: { readonly code: string; readonly askedFrom: string } | undefined;
  /** Of a device, and of one that nobody here knows: the scopes that it asks for, and the projects, by name, that its tokens would be for. */
  readonly asks?: { readonly scopes: readonly string[]; readonly resources: readonly string[] } | undefined;
  /** One that nobody here knows, with the host where it describes itself, if it did not register. */
  readonly newcomer?:
    | {
        readonly source?: string | undefined;
        /** On our own origin. */
        readonly logoUrl?: string | undefined;
      }
    | undefined;
  /** Pages of one that registered itself. */
  readonly clientLinks?: ClientLinks | undefined;
  readonly otherAccountUrl: string;
}

type NewcomerTexts = Page['texts']['consent']['newcomer'];

/** What a scope lets it do, in the order of the page. */
const SCOPES = [
  ['openid', 'openid'],
  ['profile', 'profile'],
  ['email', 'email'],
  ['phone', 'phone'],
  ['address', 'address'],
  ['offline_access', 'offline'],
] as const satisfies readonly (readonly [string, keyof NewcomerTexts])[];

const METADATA = /^urn:(?:zitadel|service):iam:user:metadata$/;

/**
 * Who gets what, and where: asked before an application gets a token for the service's own APIs, and before a device gets any.
 * Of an application that registered itself it says first that nobody has checked it, and names no owner: its name is what it likes
 * to be called. Of a device it says first that a code which somebody else has sent signs that somebody in (RFC 8628 §5.4).
 */
export function renderConsentPage(page: ConsentPage): string {
  const { consent: texts, device: deviceTexts, waysOn } = page.texts;
  const { device, newcomer } = page;
  const owner = named(page.owner.name);
  const application = named(page.applicationName);
  const words = wordsOf(page);
  const isEverywhere = page.access === 'instance';
  const isOfApis = page.access !== 'none';
  return renderPage(page, {
    heading: words.title,
    lead: words.lead.html({ application }),
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      device && html`<p class="notice warning">${deviceTexts.warning}</p>`,
      newcomer && unchecked(page, newcomer),
      accountBox(page, page.texts),
      html`<dl class="facts paired">
        ${newcomer?.source !== undefined && fact(texts.newcomer.source, html`<bdi>${singleLine(newcomer.source)}</bdi>`)}${device && fact(deviceTexts.code, html`<bdi class="code">${device.code}</bdi>`)}
        ${device && fact(deviceTexts.askedFrom, html`<bdi>${device.askedFrom}</bdi>`)}
        ${
          newcomer === undefined &&
          fact(
            texts.owner,
            html`${owner}${page.owner.domain !== '' && html` <bdi>${singleLine(page.owner.domain)}</bdi>`}`,
          )
        }
        ${isOfApis && fact(texts.where, isEverywhere ? html`<strong>${texts.everywhere}</strong>` : owner)}
        ${page.returnsTo !== undefined && fact(texts.back, html`<bdi>${singleLine(page.returnsTo)}</bdi>`)}
      </dl>`,
      html`<section aria-labelledby="grants">
        <h2 id="grants">${words.gets}</h2>
        <ul class="rules plain">
          ${device && html`<li>${deviceTexts.signsIn.html({ application })}</li>`}${page.asks && askedItems(page, page.asks)}
          ${isOfApis && html`<li>${isEverywhere ? texts.instance : texts.organization.html({ organization: owner })}</li>`}
          ${isOfApis && page.ownAccount && html`<li>${texts.account}</li>`}
        </ul>
      </section>`,
      page.clientLinks && clientLinks(page.clientLinks, page.applicationName, page.texts),
      html`<p class="hint">${'trust' in words ? words.trust : texts.trust.html({ owner })}</p>`,
      form(
        page.form,
        html`
          ${submitButton('consent-allow', texts.allow, texts.busy, { name: 'decision', value: 'allow' })}
          <button${attributes({ class: 'button quiet', type: 'submit', id: 'consent-deny', name: 'decision', value: 'deny' })}>
            ${texts.deny}
          </button>
        `,
      ),
      ways(wayLink(page.otherAccountUrl, waysOn.otherAccount)),
    ],
  });
}

/** The only place for a picture of a stranger's: within the words that nobody has checked it. */
function unchecked(
  { applicationName, texts: { consent } }: ConsentPage,
  { source, logoUrl }: NonNullable<ConsentPage['newcomer']>,
): Html {
  const { logo, unknown, described } = consent.newcomer;
  const words = html`<p>${source === undefined ? unknown : described}</p>`;
  if (logoUrl === undefined) return html`<div class="notice warning">${words}</div>`;
  const alt = logo({ application: singleLine(applicationName) });
  return html`<div class="notice warning">
    <p class="stranger">
      <img src="${logoUrl}" alt="${alt}" width="40" height="40" />${named(applicationName)}
    </p>
    ${words}
  </div>`;
}

/** What differs between those that ask. */
function wordsOf({ texts: { consent, device: deviceTexts }, device, newcomer }: ConsentPage) {
  const { allowTitle: title, allowLead: lead, gets } = deviceTexts;
  if (device !== undefined) return { title, lead, gets };
  return newcomer === undefined
    ? { title: consent.title, lead: consent.lead, gets: consent.gets }
    : consent.newcomer;
}

/** Scopes without a text are left out: the page has nothing to say of them. Offline access comes last: it applies to all before it. */
function askedItems(
  { device, newcomer, texts: { account, consent, device: deviceTexts } }: ConsentPage,
  { scopes, resources }: NonNullable<ConsentPage['asks']>,
): readonly Html[] {
  const known = SCOPES.filter(
    // that a device uses the application as its user says that it recognizes them
    ([name]) =>
      scopes.includes(name) && (device === undefined || name !== 'openid' || newcomer !== undefined),
  );
  const items = known.map(([name, key]) =>
    device !== undefined && name === 'offline_access'
      ? { name, words: deviceTexts.offline({ page: account.applications.title }) }
      : { name, words: consent.newcomer[key] },
  );
  return [
    ...items.filter(({ name }) => name !== 'offline_access').map(({ words }) => words),
    ...(scopes.some((scope) => METADATA.test(scope)) ? [deviceTexts.metadata] : []),
    ...resources.map((resource) => consent.newcomer.resource.html({ resource: named(resource) })),
    ...items.filter(({ name }) => name === 'offline_access').map(({ words }) => words),
  ].map((words) => html`<li>${words}</li>`);
}

function fact(label: string, value: HtmlValue): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}
