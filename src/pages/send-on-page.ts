import { html } from '../rendering/html.js';
import { named, renderPage, type Page } from './layout.js';

interface SendOnPage extends Page {
  /** A path of ours that leads to the provider. */
  readonly url: string;
  readonly provider: string;
}

/**
 * The way to an identity provider for who has sent a form. A page and no redirect: browsers hold whatever a form leads to against
 * the policy of its page, which lets it lead to the application alone.
 */
export function renderSendOnPage(page: SendOnPage): string {
  const { texts, nonce, url, provider } = page;
  return renderPage(page, {
    heading: texts.signIn.title,
    body: html`<a class="button" id="send-on" href="${url}"
        >${texts.signIn.continueWith.html({ provider: named(provider) })}</a
      >
      <script nonce="${nonce}">
        location.replace(document.getElementById('send-on').href);
      </script>`,
  });
}
