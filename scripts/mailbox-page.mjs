// The mailbox as a page: a list beside the opened message, on narrow screens one or the other. Works without
// scripts; the one script only fetches the list again when something arrived. Mails are strangers' HTML: they are
// shown in a sandboxed frame under a policy that runs nothing and loads nothing.
import { createHash } from 'node:crypto';
import { BASE_STYLE, text } from './local-page.mjs';

const STYLE = `
${BASE_STYLE}header { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; padding: 24px 24px 16px; max-width: 1280px;
  margin: 0 auto; }
header h1 { font-size: 20px; line-height: 1.3; font-weight: 650; margin: 0; }
header h1 a { display: flex; align-items: center; gap: 12px; min-height: 44px; color: inherit; text-decoration: none;
  border-radius: var(--radius); }
header h1 svg { width: 40px; height: 40px; padding: 9px; border-radius: var(--radius); background: var(--accent);
  color: var(--on-accent); }
header p { margin: 0; color: var(--muted); flex: 1 1 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
form { display: flex; gap: 8px; margin: 0; min-width: 0; }
input, button { font: inherit; min-height: 44px; border-radius: var(--radius); border: 1px solid var(--field-line);
  background: var(--surface); color: inherit; padding: 0 16px; }
input { min-width: 0; width: 240px; padding: 0 12px; } input::placeholder { color: var(--muted); opacity: 1; }
button { cursor: pointer; font-weight: 600; } button:hover { background: var(--sunken); }
main { display: grid; grid-template-columns: minmax(280px, 360px) minmax(0, 1fr); gap: 16px; align-items: start;
  max-width: 1280px; margin: 0 auto; padding: 0 24px 24px; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-card);
  box-shadow: var(--shadow); overflow: hidden; }
ul { list-style: none; margin: 0; padding: 0; max-height: calc(100vh - 110px); overflow-y: auto; }
li + li { border-top: 1px solid var(--line); }
li a { display: grid; grid-template-columns: 28px minmax(0, 1fr) auto; gap: 0 8px; padding: 12px 16px; min-height: 44px;
  color: inherit; text-decoration: none; }
li a:hover, li a[aria-current] { background: var(--sunken); }
li a[aria-current] { box-shadow: inset 3px 0 var(--accent); }
li a:focus-visible { outline-offset: -3px; }
li svg { width: 20px; height: 20px; margin-top: 2px; color: var(--muted); grid-row: span 2; }
li .to { font-weight: 600; } li .to, li .about { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
li .about { grid-column: 2 / -1; color: var(--muted); } time { color: var(--muted); font-size: 14px; white-space: nowrap; }
.rest { padding: 12px 16px; color: var(--muted); }
.empty { margin: 0; padding: 72px 24px; text-align: center; color: var(--muted); }
.empty strong { display: block; color: var(--text); }
article { padding: 24px; } article h2 { font-size: 22px; line-height: 1.3; font-weight: 650; margin: 0 0 12px;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 0 0 16px; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; } dd time { color: inherit; font-size: inherit; }
iframe { display: block; width: 100%; height: 920px; border: 1px solid var(--line); border-radius: var(--radius); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; max-width: 65ch; font: 15px/1.6 ui-monospace, SFMono-Regular, Menlo,
  Consolas, monospace; }
.sms pre { font: inherit; }
.sms { display: inline-block; background: var(--sunken); border: 1px solid var(--line); border-radius: 18px 18px 18px 4px;
  padding: 12px 16px; }
details { margin-top: 16px; } summary { cursor: pointer; min-height: 44px; line-height: 44px; color: var(--muted); }
.back { display: none; }
@media (max-width: 760px) {
  header, main { padding-left: 16px; padding-right: 16px; } header { gap: 8px; padding-top: 16px; }
  header h1 { flex: 1; } header h1 a { gap: 8px; } button { padding: 0 12px; }
  header p { order: 2; flex: 1 1 100%; font-size: 14px; }
  header form:first-of-type { order: 1; flex: 1 1 100%; } input { flex: 1; width: auto; }
  main { grid-template-columns: minmax(0, 1fr); }
  .opened #list, main:not(.opened) #message { display: none; }
  ul { max-height: none; } article { padding: 16px; }
  iframe { width: calc(100% + 32px); height: 1280px; margin: 0 -16px; border-width: 1px 0; border-radius: 0; }
  .back { display: inline-block; min-height: 44px; line-height: 44px; }
}
`;

const SCRIPT = `
const list = document.querySelector('#list');
const count = document.querySelector('#count');
setInterval(async () => {
  if (document.hidden) return;
  try {
    const version = await (await fetch('/api/version')).text();
    if (version === list.dataset.version) return;
    const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
    list.replaceChildren(...fresh.querySelector('#list').childNodes);
    list.dataset.version = version;
    count.textContent = fresh.querySelector('#count').textContent;
  } catch {
    count.textContent = 'The mailbox has stopped.';
  }
}, 2000);
`;

/** A list longer than this is no longer read, only filtered. */
const SHOWN = 200;

const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const STYLE_PATH = `/mailbox-${hashOf(STYLE)}.css`;
const SCRIPT_PATH = `/mailbox-${hashOf(SCRIPT)}.js`;
export const ASSETS = {
  [STYLE_PATH]: { type: 'text/css', body: STYLE },
  [SCRIPT_PATH]: { type: 'text/javascript', body: SCRIPT },
};

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Links open in a window of their own, free of the sandbox: they lead to pages that have forms. */
const FRAME = 'allow-popups allow-popups-to-escape-sandbox';
const MAIL_POLICY = `sandbox ${FRAME}; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'`;

const ICONS = {
  email: '<path d="M2 4h16v12H2z"/><path d="m2 5 8 6 8-6"/>',
  sms: '<path d="M3 3h14v10H9l-4 4v-4H3z"/><path d="M6.5 8h.01M10 8h.01M13.5 8h.01"/>',
};
const CHANNELS = { email: 'E-mail', sms: 'SMS' };

function icon(channel) {
  return drawing(channel, `role="img" aria-label="${CHANNELS[channel]}"`);
}

function drawing(channel, attributes) {
  return `<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"
    stroke-linecap="round" ${attributes}>${ICONS[channel]}</svg>`;
}

function time(iso) {
  return `<time datetime="${iso}" title="${iso}">${new Date(iso).toLocaleTimeString('en-GB')}</time>`;
}

/** The whole page. `message` is the opened one; `missing` says that the address named one that is gone. */
export function page({ list, to, version, message, missing }) {
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const opened = message !== undefined || missing;
  const title =
    message === undefined ? 'Mailbox' : `${text(message.subject ?? `SMS to ${message.to}`)} – Mailbox`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="data:,">
<script src="${SCRIPT_PATH}" defer></script>
</head>
<body>
<header>
  <h1><a href="/">${drawing('email', 'aria-hidden="true"')}Mailbox</a></h1>
  <p id="count" role="status">${list.length === 1 ? '1 message' : `${list.length} messages`}${to === '' ? '' : ` to ${text(to)}`}</p>
  <form method="get" action="/" role="search">
    <input name="to" value="${text(to)}" aria-label="Show only messages to" placeholder="Show only messages to">
    <button>Filter</button>
  </form>
  <form method="post" action="/clear"><button>Delete all</button></form>
</header>
<main${opened ? ' class="opened"' : ''}>
  <nav class="card" id="list" aria-label="Messages" data-version="${version}">${listOf(list, query, message)}</nav>
  <section class="card" id="message" aria-label="Message">${opened ? opening(message, query) : nothingOpened(list)}</section>
</main>
</body>
</html>`;
  return { body, headers: { 'content-security-policy': PAGE_POLICY } };
}

function listOf(list, query, opened) {
  if (list.length === 0) {
    return '<p class="empty"><strong>Nothing has arrived</strong>E-mails and SMS that the service sends appear here.</p>';
  }
  const items = list.slice(0, SHOWN).map(
    (
      message,
    ) => `<li><a href="/messages/${message.id}${query}"${message.id === opened?.id ? ' aria-current="true"' : ''}>
      ${icon(message.channel)}<span class="to">${text(message.to)}</span>${time(message.receivedAt)}
      <span class="about">${text(message.subject ?? message.text)}</span></a></li>`,
  );
  const rest =
    list.length > SHOWN
      ? `<li class="rest">The newest ${SHOWN} are shown; filter to see older ones.</li>`
      : '';
  return `<ul tabindex="-1">${items.join('')}${rest}</ul>`;
}

function nothingOpened(list) {
  return `<p class="empty">${list.length === 0 ? 'No message to show.' : 'Choose a message to read it.'}</p>`;
}

function opening(message, query) {
  const back = `<a class="back" href="/${query}">← All messages</a>`;
  if (message === undefined)
    return `<article>${back}<h2>This message is gone</h2><p>The mailbox keeps messages until it stops.</p></article>`;
  const frame = `<iframe title="The e-mail" sandbox="${FRAME}" src="/messages/${message.id}/html"></iframe>`;
  const plain = `<pre>${linked(message.text)}</pre>`;
  return `<article>${back}
  <h2>${message.subject === null ? 'SMS' : text(message.subject === '' ? '(no subject)' : message.subject)}</h2>
  <dl><dt>To</dt><dd>${text(message.to)}</dd><dt>Received</dt><dd>${time(message.receivedAt)}</dd></dl>
  ${message.channel === 'sms' ? `<div class="sms">${plain}</div>` : ''}
  ${message.channel === 'email' && message.html === null ? plain : ''}
  ${message.html === null ? '' : `${frame}<details><summary>Plain text</summary>${plain}</details>`}
</article>`;
}

function linked(plain) {
  return text(plain).replace(/https?:\/\/[^\s<>]+?(?=[.,;:!?)]*(?:\s|$|&gt;|&quot;))/g, (url) => {
    return `<a href="${url}" target="_blank" rel="noreferrer">${url}</a>`;
  });
}

/** A mail's own HTML, as the frame shows it. */
export function messagePart(message) {
  const base = '<base target="_blank">';
  const head = /<head[^>]*>/i.exec(message.html);
  const body =
    head === null
      ? `<!doctype html>${base}${message.html}`
      : message.html.slice(0, head.index + head[0].length) +
        base +
        message.html.slice(head.index + head[0].length);
  return { body, headers: { 'content-security-policy': MAIL_POLICY, 'x-frame-options': 'SAMEORIGIN' } };
}
