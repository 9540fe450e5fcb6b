import { attributes, html, raw, type Html } from '../rendering/html.js';
import { named, renderPage, type Page } from './layout.js';

interface FormPostPage extends Page {
  /** The application's registered redirect URI, `https` or `http`: no form leads to another scheme. */
  readonly redirectUri: string;
  /** The answer's parameters as they are on the wire. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly applicationName?: string | undefined;
}

/**
 * An authorization answer that travels as a POST (OAuth 2.0 Form Post Response Mode §2), errors included. It goes as
 * plain `application/x-www-form-urlencoded`: no enctype, no accept-charset, no `_charset_`. The script stands behind
 * the form and sends it before the page has finished loading, so the browser keeps no entry for the page in its
 * history and the back button never sends a code twice. Without scripts the button does it.
 */
export function renderFormPostPage(page: FormPostPage): string {
  const { formPost: texts } = page.texts;
  const fields = Object.entries(page.parameters).map(
    ([name, value]) => value !== undefined && html`<input${attributes({ type: 'hidden', name, value })} />`,
  );
  // asking for it again would make another answer, so it has no address
  return renderPage(
    { ...page, askedFor: undefined },
    {
      heading: texts.title,
      lead:
        page.applicationName === undefined
          ? texts.bodyWithoutName
          : texts.body.html({ application: named(page.applicationName) }),
      body: html`<form method="post" action="${page.redirectUri}" id="answer">
        ${fields}
        <button class="button" type="submit" id="continue-submit">${texts.submit}</button>
      </form>`,
      script: sendAtOnce(page.nonce),
    },
  );
}

/** Of the form that is called `answer`. The prototype's own function: a parameter called `submit` would stand in the way of the form's. */
export function sendAtOnce(nonce: string): Html {
  return html`<script nonce="${nonce}">
    ${raw(`HTMLFormElement.prototype.submit.call(document.getElementById('answer'));`)};
  </script>`;
}
