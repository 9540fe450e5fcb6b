// The local mailbox: takes every mail (SMTP) and every SMS (Twilio's HTTP API), delivers none, shows all.
// Messages live in memory; the oldest make room. On 127.0.0.1 only: what is in here signs people in.
//
//   GET  /                    the page            GET    /messages/{id}      one message on the page
//   GET  /api/messages?to=    JSON, newest first  DELETE /api/messages       forget all
//   POST /2010-04-01/Accounts/{sid}/Messages.json                            send an SMS
import { realpathSync } from 'node:fs';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { callbackify as callbackStyle } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { isLocalName } from './local-page.mjs';
import { ASSETS, messagePart, page } from './mailbox-page.mjs';
import { SMS_PATH, smsAccepted, smsError, smsProblem } from './mailbox-sms.mjs';

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const MAX_FORM_BYTES = 100 * 1024;
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

/**
 * Starts the mailbox. For tests of failures:
 * `refuse(message)` may answer an SMTP code (451, 550) or an HTTP status (429, 500): the message is then not taken;
 * `beforeReply(message)` is awaited after a message was taken and before its sender learns so.
 */
export async function startMailbox({
  httpPort = 0,
  smtpPort = 0,
  host = '127.0.0.1',
  keep = 5000,
  refuse = () => undefined,
  beforeReply = () => undefined,
} = {}) {
  const box = new Messages(keep, { refuse, beforeReply });
  const smtp = new SMTPServer({
    authOptional: true,
    onAuth: (_credentials, _session, done) => done(null, { user: 'anyone' }),
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAX_MESSAGE_BYTES,
    closeTimeout: 100,
    onData: callbackStyle((stream, session) => receiveMail(box, stream, session)),
  });
  // A client that hangs up in the middle is its own business.
  smtp.on('error', () => {});
  const web = http.createServer((request, response) => {
    answer(box, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await listen(smtp.server, smtpPort, host);
  try {
    await listen(web, httpPort, host);
  } catch (error) {
    await new Promise((resolve) => smtp.close(resolve));
    throw error;
  }
  const url = `http://${host}:${web.address().port}`;
  return {
    url,
    smsUrl: url,
    smtpUrl: `smtp://${host}:${smtp.server.address().port}`,
    /** Newest first; `to` narrows to one address or number. */
    messages: (to) => box.list(to),
    clear: () => box.clear(),
    async stop() {
      web.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => web.close(resolve)),
        new Promise((resolve) => smtp.close(resolve)),
      ]);
    },
  };
}

class Messages {
  #list = [];
  #sizes = [];
  #count = 0;
  #bytes = 0;

  constructor(keep, hooks) {
    this.keep = keep;
    this.hooks = hooks;
  }

  /** Takes one message, unless a test refuses it: then returns the code to refuse with. */
  async take(message, bytes) {
    this.#count += 1;
    const taken = { id: `m${this.#count}`, ...message, receivedAt: new Date().toISOString() };
    const code = await this.hooks.refuse(taken);
    if (code !== undefined) return code;
    this.#list.unshift(taken);
    this.#sizes.unshift(bytes);
    this.#bytes += bytes;
    while (this.#list.length > this.keep || this.#bytes > MAX_TOTAL_BYTES) {
      this.#list.pop();
      this.#bytes -= this.#sizes.pop();
    }
    await this.hooks.beforeReply(taken);
    return undefined;
  }

  list(to = '') {
    // An unescaped "+" of a phone number arrives as a space.
    const wanted = to.replace(/^ /, '+').trim().toLowerCase();
    if (wanted === '') return [...this.#list];
    return this.#list.filter((message) => message.to.toLowerCase().split(', ').includes(wanted));
  }

  find(id) {
    return this.#list.find((message) => message.id === id);
  }

  /** Changes whenever the list does. */
  get version() {
    return `${this.#list.length}-${this.#list[0]?.id ?? ''}`;
  }

  clear() {
    this.#list = [];
    this.#sizes = [];
    this.#bytes = 0;
  }
}

async function receiveMail(box, stream, session) {
  const raw = await buffer(stream);
  if (stream.sizeExceeded) throw smtpRefusal(552);
  const mail = await PostalMime.parse(raw);
  const message = {
    channel: 'email',
    to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
    subject: mail.subject ?? '',
    text: mail.text?.replace(/\n$/, '') ?? '',
    html: mail.html ?? null,
  };
  const code = await box.take(message, raw.length);
  if (code !== undefined) throw smtpRefusal(code);
}

function smtpRefusal(code) {
  return Object.assign(new Error(code < 500 ? 'Try again later' : 'Refused'), { responseCode: code });
}

async function answer(box, request, response) {
  const url = new URL(request.url, 'http://mailbox');
  if (!isLocalName(request.headers.host)) return send(response, 403, 'text/plain', 'This mailbox is local.');
  const sms = SMS_PATH.exec(url.pathname);
  if (sms !== null && request.method === 'POST') return receiveSms(box, request, response, sms[1]);
  if (url.pathname === '/api/messages' && request.method === 'DELETE') {
    box.clear();
    return send(response, 204);
  }
  if (url.pathname === '/clear' && request.method === 'POST') {
    // The page's own button; no other site's form may press it.
    if (request.headers['sec-fetch-site'] !== 'same-origin')
      return send(response, 403, 'text/plain', 'Forbidden');
    box.clear();
    return send(response.setHeader('location', '/'), 303);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, 405, 'text/plain', 'Method not allowed');
  const to = url.searchParams.get('to') ?? '';
  if (url.pathname === '/api/messages')
    return send(response, 200, 'application/json', JSON.stringify(box.list(to)));
  if (url.pathname === '/api/version') return send(response, 200, 'text/plain', box.version);
  const asset = ASSETS[url.pathname];
  if (asset !== undefined) return send(response, 200, asset.type, asset.body);
  if (url.pathname === '/') return sendPage(response, 200, { list: box.list(to), to, version: box.version });
  const [, id, part] = /^\/messages\/(m\d+)(\/html)?$/.exec(url.pathname) ?? [];
  const message = box.find(id);
  if (part !== undefined && message?.html) {
    const { headers, body } = messagePart(message);
    return send(response, 200, 'text/html', body, headers);
  }
  const view = { list: box.list(to), to, version: box.version, message, missing: message === undefined };
  return sendPage(response, message === undefined ? 404 : 200, view);
}

async function receiveSms(box, request, response, account) {
  if (!(Number(request.headers['content-length']) <= MAX_FORM_BYTES))
    return send(response, 413, 'text/plain', 'Too large');
  const form = new URLSearchParams((await buffer(request)).toString('utf8'));
  const problem = smsProblem(request.headers.authorization, form);
  if (problem !== undefined) return sendJson(response, problem[0], smsError(problem));
  const message = { channel: 'sms', to: form.get('To'), subject: null, text: form.get('Body'), html: null };
  const status = await box.take(message, message.text.length);
  if (status !== undefined) {
    if (status === 429) response.setHeader('retry-after', '1');
    return sendJson(response, status, smsError([status, status === 429 ? 20429 : 20500, 'Refused']));
  }
  return sendJson(response, 201, smsAccepted(account, form, new Date()));
}

function sendJson(response, status, body) {
  send(response, status, 'application/json', JSON.stringify(body));
}

function sendPage(response, status, view) {
  const { headers, body } = page(view);
  send(response, status, 'text/html', body, headers);
}

function send(response, status, type, body = '', headers = {}) {
  const common = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  const contentType = type === undefined ? {} : { 'content-type': `${type}; charset=utf-8` };
  response.writeHead(status, { ...common, ...contentType, ...headers }).end(body);
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const port = (name) => Number(process.env[name] ?? 0);
  const mailbox = await startMailbox({
    httpPort: port('MAILBOX_HTTP_PORT'),
    smtpPort: port('MAILBOX_SMTP_PORT'),
  });
  const { url, smtpUrl, smsUrl } = mailbox;
  process.stdout.write(`${JSON.stringify({ url, smtpUrl, smsUrl })}\n`);
  const end = async () => {
    await mailbox.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end());
}
