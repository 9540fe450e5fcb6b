import type { ClientLinks } from '../domain/client-registration/metadata/client-links.js';
import { html, type Html } from '../rendering/html.js';
import { named } from './layout.js';
import type { Texts } from './texts.js';

/**
 * Each with its host, since the labels are ours and the content is not. They open in a new tab: the sign-in continues
 * in this one, and its address is not sent as referrer.
 */
export function clientLinks(
  { isKnown, pages }: ClientLinks,
  applicationName: string,
  { clientLinks: texts }: Texts,
): Html {
  const application = named(applicationName);
  return html`<div class="client-links">
    <p class="hint">${(isKnown ? texts.of : texts.unchecked).html({ application })}</p>
    <ul>
      ${pages.map(
        ({ kind, url }) =>
          html`<li>
            <a href="${url}" target="_blank" rel="noopener noreferrer nofollow"
              ><span>${texts[kind]}</span> <bdi>${new URL(url).host}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </div>`;
}
