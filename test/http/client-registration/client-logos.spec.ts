import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { authorizeUrl, codeRequest, hiddenFields, pkce, TestBrowser } from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  registering,
  useOpenRegistration,
  type Registered,
} from '../../support/client-registration.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { jpeg, png, webp } from '../../support/pictures.js';
import { aUser } from '../../support/users.js';
import { expectPageHeaders } from '../oidc/support/answers.js';

// The logo that a client which registered itself names (RFC 7591 §2, security S437, S438, S439).

const { closed, api, world } = useOpenRegistration({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const guarded = useReplica(closed, () => ({
  CLIENT_REGISTRATION: 'open',
  CLIENT_REGISTRATION_PROJECT: world.projectId,
  OUTBOUND_PRIVATE_ADDRESSES: 'refuse',
  // counts nothing that another replica would meet
  RATE_LIMIT_REGISTRATION: '0',
  RATE_LIMIT_REGISTRATION_ALL: '0',
}));
const slow = useReplica(closed, () => ({
  CLIENT_REGISTRATION: 'open',
  CLIENT_REGISTRATION_PROJECT: world.projectId,
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  RATE_LIMIT_REGISTRATION: '2',
  RATE_LIMIT_REGISTRATION_ALL: '0',
}));
const user = given(() => aUser(world));
const host = given(() => DocumentHost.start());
afterAll(() => host.stop());
// a host is asked thirty times a minute at most
beforeEach(() => api.advance(130));

let count = 0;
/** A picture somewhere else. */
function published(body: Buffer | string = png(String(count)), status = 200, headers = {}): string {
  count += 1;
  return host.answer(`/logos/${count}`, {
    status,
    body,
    headers: { 'content-type': 'image/png', ...headers },
  });
}

function fetchesOf(uri: string): number {
  return host.asked.filter((path) => path === new URL(uri).pathname).length;
}

function requestOf({ client_id: clientId }: Registered) {
  return { ...codeRequest({ id: '', clientId, clientSecret: '' }), ...pkce().challenge };
}

async function clientWith(logoUri: string, token?: string): Promise<Registered> {
  return await aRegistered(api, token, { logo_uri: logoUri });
}

async function signInPage(client: Registered): Promise<string> {
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(requestOf(client)));
  return (await browser.get(begun.headers.location ?? '')).body;
}

async function consentPage(client: Registered, at: TestApi = api): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(at);
  const answered = await browser.signIn(requestOf(client), user);
  expect(answered.headers.location).toMatch(/^\/login\/consent\?/);
  const page = await browser.get(answered.headers.location ?? '');
  expect(page.statusCode).toBe(200);
  return page;
}

function logoIn({ body }: LightMyRequestResponse): string | undefined {
  return /<img src="(\/logos\/[^"]*)"/.exec(body)?.[1];
}

async function replace(client: Registered, changes: object): Promise<void> {
  const body = metadata({ client_id: client.client_id, ...changes });
  const { registration_client_uri: url, registration_access_token: token } = client;
  expect((await registering(api, 'PUT', url, token, body)).statusCode).toBe(200);
}

describe('the logo of a client that nobody vouches for', () => {
  it('is within the words that nobody has checked it (S439), from here, and nowhere else', async () => {
    const picture = png('first');
    const uri = published(picture);
    const client = await clientWith(uri);
    expect(await signInPage(client)).not.toContain('<img');
    expect(fetchesOf(uri)).toBe(0);
    const page = await consentPage(client);
    expectPageHeaders(page);
    const logo = logoIn(page) ?? '';
    expect(page.body).not.toContain(uri);
    expect(page.body).toMatch(
      /<div class="notice warning">\s*<p class="stranger">\s*<img src="\/logos\/[0-9a-f]{64}\.png" alt="Logo of Editor" width="40" height="40" \/>/,
    );
    expect(page.body.match(/<img/g)).toHaveLength(1);
    expect(page.body.indexOf('has registered itself')).toBeGreaterThan(page.body.indexOf('<img'));

    const served = await api.app.inject(logo);
    expect(served.rawPayload.equals(picture)).toBe(true);
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    expect(await signInPage(client)).not.toContain('<img');
    await consentPage(client);
    expect(fetchesOf(uri)).toBe(1);
  });

  it('is a PNG, a JPEG or a WebP, whatever its server calls it', async () => {
    for (const [body, ending] of [
      [jpeg, 'jpg'],
      [webp, 'webp'],
    ] as const) {
      const client = await clientWith(published(body, 200, { 'content-type': 'text/html' }));
      expect(logoIn(await consentPage(client))).toMatch(new RegExp(`\\.${ending}$`));
    }
  });

  it('is another one once the client names another, and gone with the client', async () => {
    const client = await clientWith(published());
    const first = logoIn(await consentPage(client)) ?? '';
    const other = published(png('other'));
    await replace(client, { logo_uri: other });
    expect((await api.app.inject(first)).statusCode).toBe(404);
    expect(logoIn(await consentPage(client))).toBeUndefined();
    await api.advance(601);
    const second = logoIn(await consentPage(client)) ?? '';
    expect(second).toMatch(/^\/logos\//);
    expect(second).not.toBe(first);
    expect((await api.app.inject(second)).statusCode).toBe(200);
    const { registration_client_uri: url, registration_access_token: token } = client;
    expect((await registering(api, 'DELETE', url, token)).statusCode).toBe(204);
    expect((await api.app.inject(second)).statusCode).toBe(404);
  });

  it('is not the one of an address that a replica of the release before has changed', async () => {
    const client = await clientWith(published(png('former')));
    const former = logoIn(await consentPage(client));
    const uri = published(png('latter'));
    await api.sql.query(
      `UPDATE client_registrations r SET metadata = jsonb_set(metadata, '{logo_uri}', to_jsonb($2::text))
       FROM applications a WHERE a.id = r.application_id AND a.client_id = $1`,
      [client.client_id, uri],
    );
    expect(logoIn(await consentPage(client))).toBeUndefined();
    await api.advance(601);
    const latter = logoIn(await consentPage(client));
    expect(latter).toMatch(/^\/logos\//);
    expect(latter).not.toBe(former);
    expect(fetchesOf(uri)).toBe(1);
  });

  it('stays while the client changes what else it says', async () => {
    const uri = published();
    const client = await clientWith(uri);
    const logo = logoIn(await consentPage(client));
    await replace(client, { logo_uri: uri, client_name: 'Another' });
    expect(logoIn(await consentPage(client))).toBe(logo);
    expect(fetchesOf(uri)).toBe(1);
    await replace(client, {});
    expect(logoIn(await consentPage(client))).toBeUndefined();
    const { rows } = await api.sql.query(
      `SELECT logo, logo_name, logo_source FROM client_registrations r JOIN applications a ON a.id = r.application_id
       WHERE a.client_id = $1`,
      [client.client_id],
    );
    expect(rows).toEqual([{ logo: null, logo_name: null, logo_source: null }]);
  });

  it('is not shown after an administrator has deactivated it', async () => {
    const client = await clientWith(published());
    const logo = logoIn(await consentPage(client)) ?? '';
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE client_id = $1`, [
      client.client_id,
    ]);
    expect((await api.app.inject(logo)).statusCode).toBe(404);
  });
});

it('no logo is fetched for a client that an organization lets in, whose pages have no warning', async () => {
  const uri = published();
  const client = await clientWith(uri, (await anInitialToken(world)).token);
  expect(await signInPage(client)).not.toContain('<img');
  expect(fetchesOf(uri)).toBe(0);
});

describe('S437 what a stranger names as its logo', () => {
  it.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 200, {}],
    ['a page', '<!doctype html><script>alert(1)</script>', 200, {}],
    ['larger than 100 KiB', Buffer.concat([png(), Buffer.alloc(102_400)]), 200, {}],
    ['elsewhere', '', 302, { location: 'http://127.0.0.1:1/logo.png' }],
    ['not there', png(), 404, {}],
    ['empty', '', 200, {}],
  ])('is not shown where it is %s, and not asked for again at once', async (_, body, status, headers) => {
    const uri = published(body, status, headers);
    const client = await clientWith(uri);
    for (let times = 0; times < 2; times += 1) {
      const page = await consentPage(client);
      expect(page.body).not.toContain('<img');
      expect(page.body).toContain('has registered itself');
    }
    expect(fetchesOf(uri)).toBe(1);
    await api.advance(601);
    await consentPage(client);
    expect(fetchesOf(uri)).toBe(2);
  });

  it('is not asked for at an address inside', async () => {
    const uri = published();
    expect(logoIn(await consentPage(await clientWith(uri), guarded))).toBeUndefined();
    expect(fetchesOf(uri)).toBe(0);
  });

  it('does not keep the reader from deciding', async () => {
    const client = await clientWith('http://127.0.0.1:1/logo.png');
    const browser = new TestBrowser(api);
    const answered = await browser.signIn(requestOf(client), user);
    const page = await browser.get(answered.headers.location ?? '');
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    expect(agreed.headers.location).toContain('code=');
  });
});

describe('S438 many clients with logos', () => {
  it('one of them is fetched once, however many come at once', async () => {
    const uri = published();
    const client = await clientWith(uri);
    const pages = await Promise.all(Array.from({ length: 4 }, () => consentPage(client)));
    expect(fetchesOf(uri)).toBe(1);
    expect(pages.some((page) => logoIn(page) !== undefined)).toBe(true);
  });

  it('no more of them than so many a minute for one network address', async () => {
    const shown: boolean[] = [];
    for (let index = 0; index < 3; index += 1) {
      const page = await consentPage(await clientWith(published()), slow);
      shown.push(logoIn(page) !== undefined);
    }
    expect(shown).toEqual([true, true, false]);
  });
});
