// What the pages of the mailbox and of the sample application have in common.

/** The colours of the service's own pages (src/rendering/design-tokens.ts); a browser test compares them. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --canvas: #f4f5f7; --surface: #ffffff; --sunken: #f4f5f7; --text: #15181e; --muted: #575e6c; --line: #dde0e7;
  --field-line: #848b9a; --accent: #2b50d9; --on-accent: #ffffff; --accent-text: #2b50d9;
  --radius: 8px; --radius-card: 14px; --shadow: 0 1px 2px rgb(16 20 30 / 6%), 0 8px 24px rgb(16 20 30 / 7%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: #0d0f13; --surface: #16191f; --sunken: #1e222a; --text: #eceef2; --muted: #a4abb9; --line: #2b303a;
    --field-line: #6c7484; --accent: #3f63ea; --on-accent: #ffffff; --accent-text: #93a9ff;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px rgb(0 0 0 / 35%);
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif; }
a { color: var(--accent-text); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--accent-text); outline-offset: 2px; }
`;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Text as it may stand in HTML. */
export const text = (value) => String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** A foreign site whose name was pointed at 127.0.0.1 (DNS rebinding) must not read what these pages show. */
export function isLocalName(host = '') {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
}
