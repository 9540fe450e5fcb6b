import { singleLine } from '../domain/shared/display-text.js';
import { attributes, html, type Html, type HtmlValue } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { form, formAddress, submitButton, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';

export interface ConsentPage extends Page, ShownAccount {
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
  readonly otherAccountUrl: string;
}

/**
 * Who gets what, and where: asked before an application gets a token for the service's own APIs, and before a device gets any.
 * Of a device it says first that a code which somebody else has sent signs that somebody in (RFC 8628 §5.4).
 */
export function renderConsentPage(page: ConsentPage): string {
  const { consent: texts, device: deviceTexts, waysOn } = page.texts;
  const { device } = page;
  const owner = named(page.owner.name);
  const application = named(page.applicationName);
  const isEverywhere = page.access === 'instance';
  const isOfApis = page.access !== 'none';
  return renderPage(page, {
    heading: device === undefined ? texts.title : deviceTexts.allowTitle,
    lead: (device === undefined ? texts.lead : deviceTexts.allowLead).html({ application }),
    address: formAddress(page.form, { flow: page.form.flow }),
    body: [
      device && html`<p class="notice warning">${deviceTexts.warning}</p>`,
      accountBox(page, page.texts),
      html`<dl class="facts paired">
        ${device && fact(deviceTexts.code, html`<bdi class="code">${device.code}</bdi>`)}
        ${device && fact(deviceTexts.askedFrom, html`<bdi>${device.askedFrom}</bdi>`)}
        ${fact(
          texts.owner,
          html`${owner}${page.owner.domain !== '' && html` <bdi>${singleLine(page.owner.domain)}</bdi>`}`,
        )}
        ${isOfApis && fact(texts.where, isEverywhere ? html`<strong>${texts.everywhere}</strong>` : owner)}
        ${page.returnsTo !== undefined && fact(texts.back, html`<bdi>${singleLine(page.returnsTo)}</bdi>`)}
      </dl>`,
      html`<section aria-labelledby="grants">
        <h2 id="grants">${device === undefined ? texts.gets : deviceTexts.gets}</h2>
        <ul class="rules plain">
          ${device && html`<li>${deviceTexts.signsIn.html({ application })}</li>`}
          ${isOfApis && html`<li>${isEverywhere ? texts.instance : texts.organization.html({ organization: owner })}</li>`}
          ${isOfApis && page.ownAccount && html`<li>${texts.account}</li>`}
        </ul>
      </section>`,
      html`<p class="hint">${texts.trust.html({ owner })}</p>`,
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

function fact(label: string, value: HtmlValue): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}
