// A sample application: signs people in with the service and shows who came. It is an ordinary client, with the
// credentials that `npm start` wrote: code flow with PKCE, state and nonce, the ID token verified with the published
// keys, userinfo, refresh, sign-out. On 127.0.0.1 only: it shows tokens, which no application should.
//
//   GET /            who is signed in         GET /callback, /pkce/callback   where the service sends people back
//   GET /sign-in     off to the service       POST /refresh, /sign-out        what the buttons do
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import http from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { isLocalName } from './local-page.mjs';
import {
  failedPage,
  foreignAnswerPage,
  signedInPage,
  signedOutPage,
  startPage,
  STYLE,
} from './sample-app-page.mjs';

const COOKIE = 'sample_application';
const SCOPE = 'openid profile email offline_access';
/** Browsers that are remembered; the oldest make room. */
const MOST_BROWSERS = 200;
/** `localhost` is either of them. */
const HOSTS = ['127.0.0.1', '::1'];

/**
 * @param credentials asked at each sign-in: issuer, webApplication and pkceApplication of `.data/credentials.json`
 */
export async function startSampleApplication({ port = 0, credentials }) {
  const application = new SampleApplication(credentials);
  const answer = (request, response) => {
    application.answer(request, response).catch((error) => {
      sendPage(response, 502, failedPage({ problem: error.message }));
    });
  };
  const servers = [];
  for (const host of HOSTS) {
    const server = http.createServer(answer);
    const bound = servers[0]?.address().port ?? port;
    const listening = await listen(server, bound, host);
    // some machines have no IPv6
    if (listening) servers.push(server);
    else if (host === HOSTS[0]) throw new Error(`port ${port} is in use`);
  }
  return {
    url: `http://localhost:${servers[0].address().port}`,
    async stop() {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}

class SampleApplication {
  /** Cookie → what the application knows of that browser. */
  #browsers = new Map();

  constructor(credentials) {
    this.credentials = credentials;
  }

  async answer(request, response) {
    if (!isLocalName(request.headers.host))
      return send(response, 403, 'text/plain', 'This application is local.');
    const url = new URL(request.url, 'http://localhost');
    const route = `${request.method} ${url.pathname}`;
    const browser = this.#browsers.get(cookieOf(request));
    switch (route) {
      case 'GET /':
        return sendPage(response, 200, browser?.signedIn ? signedInPage(browser.signedIn) : startPage());
      case 'GET /style.css':
        return send(response, 200, 'text/css', STYLE);
      case 'GET /sign-in':
        return await this.#signIn(response);
      case 'GET /callback':
      case 'GET /pkce/callback':
        return await this.#receive(response, url.searchParams, browser);
      case 'POST /refresh':
      case 'POST /sign-out':
        return await this.#change(request, response, url.pathname, browser);
      case 'GET /signed-out':
        return sendPage(response, 200, signedOutPage());
      default:
        return send(response, 404, 'text/plain', 'Not found');
    }
  }

  async #signIn(response) {
    const { issuer, client, redirectUri } = this.#client();
    const { authorization_endpoint: endpoint } = await discover(issuer);
    const [cookie, state, nonce, verifier] = Array.from({ length: 4 }, () =>
      randomBytes(32).toString('base64url'),
    );
    this.#remember(cookie, { pending: { state, nonce, verifier } });
    const target = new URL(endpoint);
    target.search = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: SCOPE,
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    response.setHeader('set-cookie', `${COOKIE}=${cookie}; Path=/; HttpOnly; SameSite=Lax`);
    redirect(response, target.href);
  }

  /** The service sends people back with a code or an error (OpenID Connect Core §3.1.2.5). */
  async #receive(response, answer, browser) {
    const pending = browser?.pending;
    if (pending === undefined || answer.get('state') !== pending.state) {
      // not ours: a sign-in that somebody began by hand, or that a stranger's page wants to slip in
      return sendPage(response, 200, foreignAnswerPage());
    }
    delete browser.pending;
    const { issuer, client, redirectUri } = this.#client();
    if (answer.get('iss') !== issuer) throw new Error('the answer is from another issuer');
    if (answer.has('error')) {
      const problem = answer.get('error_description') ?? answer.get('error');
      return sendPage(response, 200, failedPage({ problem }));
    }
    const { token_endpoint: tokenEndpoint, ...known } = await discover(issuer);
    const tokens = await askForTokens(tokenEndpoint, client, {
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: pending.verifier,
    });
    const keys = createRemoteJWKSet(new URL(known.jwks_uri));
    const { payload } = await jwtVerify(tokens.id_token, keys, { issuer, audience: client.clientId });
    if (payload.nonce !== pending.nonce) throw new Error('the ID token is for another sign-in');
    const userinfo = await callJson(known.userinfo_endpoint, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    if (userinfo.sub !== payload.sub) throw new Error('userinfo is about somebody else');
    browser.signedIn = { issuer, idToken: payload, userinfo, tokens, refreshed: 0 };
    redirect(response, '/');
  }

  async #change(request, response, pathname, browser) {
    // no other site's form may press these buttons
    if (request.headers['sec-fetch-site'] !== 'same-origin' || browser?.signedIn === undefined) {
      return redirect(response, '/');
    }
    const { issuer, client } = this.#client();
    const { signedIn } = browser;
    const endpoints = await discover(issuer);
    if (pathname === '/refresh') {
      const fresh = await askForTokens(endpoints.token_endpoint, client, {
        grant_type: 'refresh_token',
        refresh_token: signedIn.tokens.refresh_token,
      });
      browser.signedIn = {
        ...signedIn,
        tokens: { ...signedIn.tokens, ...fresh },
        refreshed: signedIn.refreshed + 1,
      };
      return redirect(response, '/');
    }
    this.#browsers.delete(cookieOf(request));
    const target = new URL(endpoints.end_session_endpoint);
    const { webApplication } = this.credentials();
    target.search = new URLSearchParams({
      id_token_hint: signedIn.tokens.id_token,
      // the public client has none registered
      ...(client.clientSecret !== undefined && {
        post_logout_redirect_uri: webApplication.postLogoutRedirectUri,
      }),
    });
    redirect(response, target.href);
  }

  /** The web application; where its secret is not known (credentials.json was lost) the one that needs none. */
  #client() {
    const { issuer, webApplication, pkceApplication } = this.credentials();
    const client = webApplication.clientSecret === undefined ? pkceApplication : webApplication;
    return { issuer, client, redirectUri: client.redirectUri };
  }

  #remember(cookie, browser) {
    this.#browsers.set(cookie, browser);
    for (const oldest of this.#browsers.keys()) {
      if (this.#browsers.size <= MOST_BROWSERS) break;
      this.#browsers.delete(oldest);
    }
  }
}

async function discover(issuer) {
  return await callJson(`${issuer}/.well-known/openid-configuration`);
}

async function askForTokens(endpoint, { clientId, clientSecret }, parameters) {
  const body = new URLSearchParams(parameters);
  const headers = {};
  if (clientSecret === undefined) body.set('client_id', clientId);
  else {
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return await callJson(endpoint, { method: 'POST', headers, body });
}

async function callJson(url, init = {}) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  const body = await answer.json();
  if (!answer.ok)
    throw new Error(`${new URL(url).pathname}: ${body.error_description ?? body.error ?? answer.status}`);
  return body;
}

function cookieOf({ headers: { cookie = '' } }) {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(cookie)?.[1];
}

function redirect(response, location) {
  response.setHeader('location', location);
  send(response, 303);
}

function sendPage(response, status, { body, headers }) {
  if (!response.headersSent) send(response, status, 'text/html', body, headers);
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
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const file = process.env.SAMPLE_APP_CREDENTIALS ?? '.data/credentials.json';
  const application = await startSampleApplication({
    port: Number(process.env.SAMPLE_APP_PORT ?? 9080),
    credentials: () => JSON.parse(readFileSync(file, 'utf8')),
  });
  process.stdout.write(`${JSON.stringify({ url: application.url })}\n`);
  const end = async () => {
    await application.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end());
}
