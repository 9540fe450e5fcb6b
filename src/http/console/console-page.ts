import { iconPath } from '../../pages/design/assets.js';
import { html } from '../../rendering/html.js';
import type { ConsoleEntry } from './console-files.js';

interface ConsolePage {
  readonly nonce: string;
  readonly language: string;
  /** Without a slash at its end: the console is used at this address, whatever name it was opened by. */
  readonly issuer: string;
  readonly clientId: string;
  readonly entry: ConsoleEntry;
}

/** The one page of the console. All that it shows comes by the APIs, with the token of whoever signed in. */
export function renderConsolePage({ nonce, language, issuer, clientId, entry }: ConsolePage): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Console</title>
        <meta name="color-scheme" content="light dark" />
        <meta name="console-client" content="${clientId}" />
        <meta name="console-issuer" content="${issuer}" />
        <meta property="csp-nonce" nonce="${nonce}" />
        ${entry.styles.map((style) => html`<link rel="stylesheet" href="${style}" />`)}
        <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        <script type="module" nonce="${nonce}" src="${entry.script}"></script>
      </head>
      <body>
        <div id="console"></div>
        <noscript><p>The console needs scripts. Everything in it can also be done with the API.</p></noscript>
      </body>
    </html>`.toString();
}
