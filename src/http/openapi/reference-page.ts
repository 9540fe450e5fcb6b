import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { iconPath, type Asset } from '../../pages/design/assets.js';
import { contentHash } from '../../pages/design/stylesheet.js';
import type { Page } from '../../pages/layout.js';
import { html } from '../../rendering/html.js';

/**
 * Shows the document and calls nothing: whoever may read the page would paste the token of an owner into it. Plain ES5, since
 * it is sent as it is.
 */
const START = `document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  showExtensions: true,
  supportedSubmitMethods: [],
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [{ wrapComponents: {
    authorizeBtn: function () { return function () { return null; }; },
    authorizeOperationBtn: function () { return function () { return null; }; }
  } }]
});
`;

const STYLES = `
body { margin: 0; }
noscript p { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; }
`;

/** The OpenAPI document for people: swagger-ui from our own origin. English, as the API itself. */
export class ReferencePage {
  private readonly style = fileOf('css', `${packaged('swagger-ui.css')}${STYLES}`);
  private readonly viewer = fileOf('js', packaged('swagger-ui-bundle.js'));
  private readonly start = fileOf('js', START);

  /** What the page refers to, by path; each is named by its content. */
  readonly files: ReadonlyMap<string, Asset> = new Map(
    [this.style, this.viewer, this.start].map(({ path, asset }) => [path, asset]),
  );

  render({ nonce }: Page): string {
    return html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>API reference</title>
          <meta name="color-scheme" content="light dark" />
          <link rel="stylesheet" href="${this.style.path}" />
          <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        </head>
        <body>
          <main id="reference"></main>
          <noscript>
            <p>
              This page needs scripts. <a href="/openapi.json">openapi.json</a> says the same to programs.
            </p>
          </noscript>
          <script nonce="${nonce}" src="${this.viewer.path}"></script>
          <script nonce="${nonce}" src="${this.start.path}"></script>
        </body>
      </html>`.toString();
  }
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

function fileOf(kind: keyof typeof TYPES, body: string): { readonly path: string; readonly asset: Asset } {
  const path = `/openapi/reference-${contentHash(body)}.${kind}`;
  return { path, asset: { contentType: TYPES[kind], body } };
}

function packaged(name: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8');
}
