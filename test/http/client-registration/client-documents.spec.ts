import { afterAll, describe, expect, it } from 'vitest';
import { MaintenanceStore } from '../../../src/domain/maintenance/maintenance.store.js';
import { aReplica, startTestApi, useApi, useReplica } from '../../support/api.js';
import { REDIRECT_URI, type TestClient } from '../../support/applications.js';
import { asserted, makeSigner, signAssertion } from '../../support/assertions.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { API_SCOPE } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, World } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from '../oidc/support/answers.js';

// Clients whose id is the address of a document that describes them (security S284, S285).

const closed = useApi();
const there = given(() => anOrganization(closed));
const host = given(() => DocumentHost.start());
const settings = () => ({
  CLIENT_ID_METADATA_DOCUMENTS: 'on',
  CLIENT_REGISTRATION_PROJECT: there.projectId,
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  RATE_LIMIT_REGISTRATION: '0',
  RATE_LIMIT_REGISTRATION_ALL: '0',
  RATE_LIMIT_REGISTRATION_DAY: '0',
});
const api = useReplica(closed, settings);
const world = given(() => new World(api, there.orgId, there.domain, there.projectId));
const user = given(() => aUser(world));
afterAll(() => host.stop());

let count = 0;
function path(): string {
  count += 1;
  return `/clients/${count}.json`;
}
function named(clientId: string): TestClient {
  return { id: '', clientId, clientSecret: '' };
}
async function begun(clientId: string, changes: Record<string, string> = {}, browser = new TestBrowser(api)) {
  const { verifier, challenge } = pkce();
  const url = authorizeUrl({ ...codeRequest(named(clientId)), ...challenge, ...changes });
  return { response: await browser.get(url), verifier };
}
function asked(clientId: string): number {
  return host.asked.filter((one) => host.origin + one === clientId).length;
}

/** From nothing to the consent, and to what it gives. */
async function signedIn(clientId: string) {
  const browser = new TestBrowser(api);
  const { verifier, challenge } = pkce();
  const answered = await browser.signIn({ ...codeRequest(named(clientId)), ...challenge }, user);
  const page = await browser.get(answered.headers.location ?? '');
  const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
  return { browser, page: page.body, code: redirected(agreed).get('code') ?? '', verifier };
}

describe('a client that a document describes', () => {
  it('signs its user in, who sees where it describes itself and agrees', async () => {
    const clientId = host.publish(path(), { client_name: '<b>Agent</b>', logo_uri: 'https://evil.test/x' });
    const { page, code, verifier } = await signedIn(clientId);
    expect(page).toContain('Describes itself at');
    expect(page).toContain(new URL(clientId).host);
    expect(page).toContain('&lt;b&gt;Agent');
    expect(page).not.toContain('evil.test');
    const form = redemption(code, { client_id: clientId, code_verifier: verifier });
    expect((await requestToken(api, form)).json()).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String) as string,
    });
    const { rows } = await api.sql.query(
      `SELECT registration, project_id, client_secret_hash, grant_types FROM applications WHERE client_id = $1`,
      [clientId],
    );
    expect(rows).toEqual([
      {
        registration: 'document',
        project_id: world.projectId,
        client_secret_hash: null,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ]);
  });

  it('needs PKCE, and gets no more than what says who its user is', async () => {
    const clientId = host.publish(path());
    const without = await new TestBrowser(api).get(authorizeUrl(codeRequest(named(clientId))));
    expectRedirectedError(without, 'invalid_request');
    expectRedirectedError(
      (await begun(clientId, { scope: `openid ${API_SCOPE}` })).response,
      'invalid_scope',
    );
    const implicit = await begun(clientId, { response_type: 'id_token' });
    expect(implicit.response.headers.location).toContain('#error=unauthorized_client');
  });

  it('proves who it is by a key of the document', async () => {
    const signer = makeSigner('ES256');
    const clientId = host.publish(path(), {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...signer.publicJwk, kid: 'k1' }] },
    });
    const { code, verifier } = await signedIn(clientId);
    const form = redemption(code, { code_verifier: verifier });
    const by = async (key: typeof signer) => ({
      client_assertion: await signAssertion({ clientId, keyId: 'k1', signer: key }, 'https://id.test'),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expectOAuthError(await requestToken(api, { ...form, client_id: clientId }), 401, 'invalid_client');
    const foreign = { ...form, ...(await by(makeSigner('ES256'))) };
    expectOAuthError(await requestToken(api, foreign), 401, 'invalid_client');
    expect((await requestToken(api, { ...form, ...(await by(signer)) })).statusCode).toBe(200);
  });

  it('proves it no more by a key that its document has replaced, and by the new one, though nobody signs in (S466)', async () => {
    const [old, next] = [makeSigner('ES256'), makeSigner('ES256')];
    const at = path();
    const publish = (signer: typeof old, kid: string) =>
      host.publish(at, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...signer.publicJwk, kid }] },
      });
    const clientId = publish(old, 'old');
    const by = async (signer: typeof old, keyId: string) => await asserted({ clientId, keyId, signer });
    const { code, verifier } = await signedIn(clientId);
    const form = { ...redemption(code, { code_verifier: verifier }), ...(await by(old, 'old')) };
    const tokens = (await requestToken(api, form)).json<{ refresh_token: string }>();
    const refresh = async (signer: typeof old, keyId: string) =>
      await requestToken(api, refreshRequest(tokens.refresh_token, await by(signer, keyId)));

    const readLast = async (ago: string) =>
      await api.sql.query(
        `UPDATE client_registrations SET fresh_until = app_now() - $2::interval
         WHERE application_id = (SELECT id FROM applications WHERE client_id = $1)`,
        [clientId, ago],
      );
    publish(next, 'next');
    await readLast('1 second');
    expectOAuthError(await refresh(old, 'old'), 401, 'invalid_client');
    expect((await refresh(next, 'next')).statusCode).toBe(200);
    // while its server is away it goes on for a day, as where people sign in
    host.answer(at, { status: 503 });
    await readLast('23 hours');
    expect((await refresh(next, 'next')).statusCode).toBe(200);
    await readLast('25 hours');
    expectOAuthError(await refresh(next, 'next'), 400, 'invalid_request');
  });

  it('proves who it is by a key that it publishes elsewhere', async () => {
    const signer = makeSigner('ES256');
    const keys = host.answer(path(), {
      body: JSON.stringify({ keys: [{ ...signer.publicJwk, kid: 'k1' }] }),
    });
    const changes = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keys };
    const clientId = host.publish(path(), changes);
    const { code, verifier } = await signedIn(clientId);
    const form = { ...redemption(code, { code_verifier: verifier }) };
    const foreign = { ...form, ...(await asserted({ clientId, keyId: 'k1', signer: makeSigner('ES256') })) };
    expectOAuthError(await requestToken(api, foreign), 401, 'invalid_client');
    const own = { ...form, ...(await asserted({ clientId, keyId: 'k1', signer })) };
    expect((await requestToken(api, own)).statusCode).toBe(200);
  });

  it('may push its requests', async () => {
    const clientId = host.publish(path());
    const request = { ...codeRequest(named(clientId)), ...pkce().challenge };
    expect((await postForm(api, '/oauth/v2/par', request)).statusCode).toBe(201);
  });

  it('is one application, however many come at once', async () => {
    const clientId = host.publish(path());
    const all = await Promise.all(Array.from({ length: 8 }, () => begun(clientId)));
    for (const { response } of all) expect(response.headers.location).toMatch(/^\/login\?/);
    const { rows } = await api.sql.query(`SELECT FROM applications WHERE client_id = $1`, [clientId]);
    expect(rows).toHaveLength(1);
  });
});

describe('how long a document counts', () => {
  it('is an hour, or what its server says, within bounds', async () => {
    const plain = host.publish(path());
    const brief = host.publish(path(), {}, { 'cache-control': 'max-age=1' });
    const long = host.publish(path(), {}, { 'cache-control': 'max-age=99999999' });
    const all = async () => {
      for (const clientId of [plain, brief, long]) await begun(clientId);
      return [plain, brief, long].map(asked);
    };
    expect([await all(), await all()]).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    await api.advance(310);
    expect(await all()).toEqual([1, 2, 1]);
    await api.advance(3_600);
    expect(await all()).toEqual([2, 3, 1]);
    await api.advance(86_400);
    expect(await all()).toEqual([3, 4, 2]);
  });

  it('takes what it says then: a redirect URI that it has no longer is refused', async () => {
    const where = path();
    const clientId = host.publish(where);
    expect((await begun(clientId)).response.statusCode).toBe(302);
    host.publish(where, { redirect_uris: ['https://rp.test/new'] });
    await api.advance(3_700);
    expectErrorPage((await begun(clientId)).response, 400, 'redirect_uri');
    const moved = await begun(clientId, { redirect_uri: 'https://rp.test/new' });
    expect(moved.response.headers.location).toMatch(/^\/login\?/);
  });

  it('has its users asked again where it names other pages', async () => {
    const where = path();
    const clientId = host.publish(where, { policy_uri: 'https://rp.test/privacy' });
    expect((await signedIn(clientId)).page).toContain('https://rp.test/privacy');
    host.publish(where, { policy_uri: 'https://rp.test/other' });
    await api.advance(3_700);
    expect((await signedIn(clientId)).page).toContain('https://rp.test/other');
  });

  it('goes on for a day while its server is away, and ends where it no longer holds', async () => {
    const where = path();
    const clientId = host.publish(where);
    await begun(clientId);
    host.answer(where, { status: 503 });
    await api.advance(3_700);
    expect((await begun(clientId)).response.headers.location).toMatch(/^\/login\?/);
    host.publish(where, { client_id: 'https://evil.test/x' });
    expectErrorPage((await begun(clientId)).response, 400);
    host.answer(where, { status: 503 });
    await api.advance(90_000);
    expectErrorPage((await begun(clientId)).response, 400);
  });
});

it('a client that has gone because nobody used it comes again by its document', async () => {
  await api.advance(130);
  const clientId = host.publish(path());
  await begun(clientId);
  await api.advance(90_000);
  const kept = { sessionSeconds: 1, noticeSeconds: 1, importSeconds: 1 };
  await api.app.get(MaintenanceStore, { strict: false }).removeExpired(2_000, kept);
  const isThere = async () =>
    (await api.sql.query(`SELECT FROM applications WHERE client_id = $1`, [clientId])).rowCount === 1;
  expect(await isThere()).toBe(false);
  expect((await begun(clientId)).response.headers.location).toMatch(/^\/login\?/);
  expect(await isThere()).toBe(true);
});

describe('a document that is refused', () => {
  it.each<[string, (where: string) => string]>([
    ['has another address', (where) => host.publish(where, { client_id: 'https://other.test/x' })],
    ['has none', (where) => host.publish(where, { client_id: undefined })],
    ['has a secret', (where) => host.publish(where, { client_secret: 'x' })],
    ['wants a secret', (where) => host.publish(where, { token_endpoint_auth_method: 'client_secret_basic' })],
    [
      'has keys in clear',
      (where) =>
        host.publish(where, {
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: 'http://rp.test/keys',
        }),
    ],
    ['has no redirect URI', (where) => host.publish(where, { redirect_uris: [] })],
    [
      'has a script among them',
      (where) => host.publish(where, { redirect_uris: [REDIRECT_URI, 'javascript:alert(1)'] }),
    ],
    ['cannot do the code flow', (where) => host.publish(where, { grant_types: ['client_credentials'] })],
    ['has a name that turns text around', (where) => host.publish(where, { client_name: 'a\u202Eb' })],
    ['is no JSON', (where) => host.answer(where, { body: '{' })],
    ['is a list', (where) => host.answer(where, { body: '[]' })],
    ['has a member twice', (where) => host.answer(where, { body: '{"client_id":"a","client_id":"b"}' })],
    ['is a page', (where) => host.answer(where, { headers: { 'content-type': 'text/html' }, body: '{}' })],
    [
      'is elsewhere',
      (where) => host.answer(where, { status: 302, headers: { location: '/clients/1.json' } }),
    ],
    ['is not there', (where) => host.answer(where, { status: 404 })],
    ['is huge', (where) => host.publish(where, { contacts: ['x'.repeat(20_000)] })],
  ])('%s', async (_name, publish) => {
    // past what may be fetched of one host
    await api.advance(130);
    const clientId = publish(`/refused${path()}`);
    expectErrorPage((await begun(clientId)).response, 400);
    const { rows } = await api.sql.query(`SELECT FROM applications WHERE client_id = $1`, [clientId]);
    expect(rows).toHaveLength(0);
    const pushed = { ...codeRequest(named(clientId)), ...pkce().challenge };
    expectOAuthError(await postForm(api, '/oauth/v2/par', pushed), 400, 'invalid_request');
  });
});

describe('an address that is no client id', () => {
  it.each([
    'http://rp.test/client.json',
    'https://rp.test',
    'https://rp.test/',
    'https://rp.test/client.json?x=1',
    'https://rp.test/client.json#x',
    'https://user:pass@rp.test/client.json',
    'https://rp.test/a/../client.json',
    'https://RP.test/client.json',
    'https://rp.test:443/client.json',
    `https://rp.test/${'x'.repeat(200)}`,
  ])('%s', async (clientId) => {
    expectErrorPage((await begun(clientId)).response, 400);
  });
});

describe('what is fetched', () => {
  it('is no more than so many of one host, whoever asks', async () => {
    await api.advance(130);
    const statuses = [];
    for (let index = 0; index < 35; index += 1) {
      const response = await api.app.inject({
        url: authorizeUrl({
          ...codeRequest(named(host.answer(path(), { status: 404 }))),
          ...pkce().challenge,
        }),
        remoteAddress: `203.0.113.${index}`,
      });
      statuses.push(response.statusCode);
    }
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
    await api.advance(130);
  });

  it('is nothing at an address inside, whatever it is called', async () => {
    const outside = await aReplica(closed, { ...settings(), OUTBOUND_PRIVATE_ADDRESSES: 'refuse' });
    const port = new URL(host.origin).port;
    const before = host.asked.length;
    for (const place of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '0.0.0.0']) {
      for (const scheme of ['http', 'https']) {
        const clientId = `${scheme}://${place}:${port}/clients/1.json`;
        const url = authorizeUrl({ ...codeRequest(named(clientId)), ...pkce().challenge });
        expectErrorPage(await new TestBrowser(outside).get(url), 400);
      }
    }
    expect(host.asked).toHaveLength(before);
  });

  it('is nothing where documents are off, and discovery says so', async () => {
    const clientId = host.publish(path());
    const url = authorizeUrl({ ...codeRequest(named(clientId)), ...pkce().challenge });
    expectErrorPage(await new TestBrowser(closed).get(url), 400, 'client_id');
    expect(asked(clientId)).toBe(0);
    const discovery = async (of: typeof closed) =>
      (await of.app.inject({ url: '/.well-known/openid-configuration' })).json<object>();
    expect(await discovery(closed)).not.toHaveProperty('client_id_metadata_document_supported');
    expect(await discovery(api)).toMatchObject({ client_id_metadata_document_supported: true });
  });

  it('is no more than so many for one network address', async () => {
    const limited = await aReplica(closed, { ...settings(), RATE_LIMIT_REGISTRATION: '3' });
    const clients = Array.from({ length: 5 }, () => host.publish(path()));
    const statuses = [];
    for (const clientId of clients) {
      const url = authorizeUrl({ ...codeRequest(named(clientId)), ...pkce().challenge });
      statuses.push((await new TestBrowser(limited).get(url)).statusCode);
    }
    expect(statuses).toEqual([302, 302, 302, 503, 503]);
    expect(clients.map(asked)).toEqual([1, 1, 1, 0, 0]);
  });

  it('is there for others, however often one network address asks (S320)', async () => {
    const limits = { RATE_LIMIT_REGISTRATION: '2', RATE_LIMIT_REGISTRATION_ALL: '4' };
    const limited = await aReplica(closed, { ...settings(), ...limits });
    const from = async (remoteAddress: string) => {
      const url = authorizeUrl({ ...codeRequest(named(host.publish(path()))), ...pkce().challenge });
      return (await limited.app.inject({ url, remoteAddress })).statusCode;
    };
    const flood = [];
    for (let index = 0; index < 12; index += 1) flood.push(await from('203.0.113.1'));
    expect(flood.filter((status) => status === 302)).toHaveLength(2);
    expect([await from('203.0.113.2'), await from('203.0.113.3')]).toEqual([302, 302]);
    expect(await from('203.0.113.4')).toBe(503);
  });

  it('is read again while new ones use up what there is for them (S396)', async () => {
    const limited = await aReplica(closed, { ...settings(), RATE_LIMIT_REGISTRATION_ALL: '2' });
    const status = async (clientId: string, remoteAddress: string) => {
      const url = authorizeUrl({ ...codeRequest(named(clientId)), ...pkce().challenge });
      return (await limited.app.inject({ url, remoteAddress })).statusCode;
    };
    // of the minutes before, others have had theirs
    await limited.advance(600);
    const inUse = host.publish(path());
    expect(await status(inUse, '203.0.113.11')).toBe(302);
    await limited.advance(2 * 3_600);
    const flood = [];
    for (let index = 20; index < 26; index += 1)
      flood.push(await status(host.publish(path()), `203.0.113.${index}`));
    expect(flood).toContain(503);
    expect(await status(inUse, '203.0.113.11')).toBe(302);
    expect(asked(inUse)).toBe(2);
  });

  it('is new no more than so many times a day for one network address (S302)', async () => {
    const limited = await aReplica(closed, { ...settings(), RATE_LIMIT_REGISTRATION_DAY: '2' });
    const status = async (clientId: string) => {
      const url = authorizeUrl({ ...codeRequest(named(clientId)), ...pkce().challenge });
      return (await new TestBrowser(limited).get(url)).statusCode;
    };
    const [first = '', second = '', third = ''] = Array.from({ length: 3 }, () => host.publish(path()));
    expect([await status(first), await status(second), await status(third)]).toEqual([302, 302, 503]);
    expect([await status(first), await status(third)]).toEqual([302, 503]);
    expect([first, second, third].map(asked)).toEqual([1, 1, 0]);
  });
});

it('needs a project that is named', async () => {
  await expect(startTestApi({ CLIENT_ID_METADATA_DOCUMENTS: 'on' })).rejects.toThrow(
    'CLIENT_REGISTRATION_PROJECT',
  );
});
