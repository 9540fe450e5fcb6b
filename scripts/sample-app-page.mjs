// The pages of the sample application. No scripts; the style is the mailbox's.
import { BASE_STYLE, text } from './local-page.mjs';

export const STYLE = `
${BASE_STYLE}
main { max-width: 760px; margin: 0 auto; padding: 48px 24px; display: grid; gap: 16px; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-card);
  box-shadow: var(--shadow); padding: 24px; display: grid; gap: 16px; min-width: 0; }
h1, h2, p { margin: 0; } h1 { font-size: 26px; line-height: 1.3; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 18px; line-height: 1.3; font-weight: 650; }
.kicker, .muted { color: var(--muted); } .kicker { font-size: 14px; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; } form { margin: 0; }
.button, button { font: inherit; font-weight: 600; min-height: 44px; padding: 0 20px; border-radius: var(--radius);
  border: 1px solid var(--field-line); background: var(--surface); color: inherit; cursor: pointer;
  display: inline-flex; align-items: center; text-decoration: none; }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
dl { display: grid; grid-template-columns: minmax(120px, max-content) minmax(0, 1fr); gap: 8px 16px; margin: 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 14px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
summary { cursor: pointer; min-height: 44px; line-height: 44px; font-weight: 600; }
@media (max-width: 560px) { main { padding: 16px; } .card { padding: 16px; } dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 8px; } .actions > *, .actions button, .actions .button { width: 100%; justify-content: center; } }
`;

function page(title, body, formTargets = '') {
  return {
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} – Sample application</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="data:,">
</head>
<body><main>${body}</main></body>
</html>`,
    headers: {
      'content-security-policy':
        `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${formTargets}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
    },
  };
}

const KICKER = '<p class="kicker">Sample application</p>';

function card(title, body) {
  return `<section class="card">${KICKER}<h1>${text(title)}</h1>${body}</section>`;
}

export function startPage() {
  return page(
    'Not signed in',
    card(
      'You are not signed in',
      `<p>This application knows nobody by itself. It sends you to the identity service and gets you back with a code.</p>
      <div class="actions"><a class="button main" href="/sign-in">Sign in</a></div>`,
    ),
  );
}

/** Who came, what the ID token and userinfo say, and the tokens: those only because this is a sample. */
export function signedInPage({ issuer, idToken, userinfo, tokens, refreshed }) {
  const name = userinfo.name ?? userinfo.preferred_username ?? userinfo.sub;
  const again = refreshed === 0 ? '' : ` Refreshed ${refreshed === 1 ? 'once' : `${refreshed} times`}.`;
  return page(
    name,
    `${card(
      name,
      `<p>You are signed in as <strong>${text(userinfo.preferred_username ?? userinfo.sub)}</strong>.</p>
      <div class="actions">
        <form method="post" action="/refresh"><button>Refresh the tokens</button></form>
        <form method="post" action="/sign-out"><button>Sign out</button></form>
      </div>`,
    )}
    <section class="card"><h2>Userinfo</h2>${claims(userinfo)}</section>
    <section class="card"><h2>ID token</h2>
      <p class="muted">Verified with the published keys of ${text(issuer)}.</p>${claims(idToken)}</section>
    <section class="card"><h2>Tokens</h2>
      <p class="muted">Scope ${text(tokens.scope)}, for ${text(tokens.expires_in)} s.${again} An application of yours keeps
        them to itself.</p>
      <details><summary>Show them</summary><dl>
        ${row('Access token', `<code id="access-token">${text(tokens.access_token)}</code>`)}
        ${row('Refresh token', `<code id="refresh-token">${text(tokens.refresh_token ?? 'none')}</code>`)}
        ${row('ID token', `<code id="id-token">${text(tokens.id_token)}</code>`)}
      </dl></details></section>`,
    issuer,
  );
}

function claims(values) {
  return `<dl>${Object.entries(values)
    .map(([name, value]) => row(name, text(typeof value === 'object' ? JSON.stringify(value) : value)))
    .join('')}</dl>`;
}

function row(name, value) {
  return `<dt>${text(name)}</dt><dd>${value}</dd>`;
}

/** An answer to a request that this application did not make: it must not be used (RFC 6749 §10.12). */
export function foreignAnswerPage() {
  return page(
    'An answer to somebody else',
    card(
      'This application did not ask for this answer',
      `<p>So it does not use it. If you began the sign-in by hand, copy the address of this page into your shell.</p>
      <div class="actions"><a class="button" href="/">To the application</a></div>`,
    ),
  );
}

export function failedPage({ problem }) {
  return page(
    'Not signed in',
    card(
      'The sign-in did not succeed',
      `<p>${text(problem)}</p><div class="actions"><a class="button" href="/sign-in">Try again</a></div>`,
    ),
  );
}

export function signedOutPage() {
  return page(
    'Signed out',
    card(
      'You are signed out',
      `<p>Of this application and of the identity service.</p>
      <div class="actions"><a class="button" href="/sign-in">Sign in</a></div>`,
    ),
  );
}
