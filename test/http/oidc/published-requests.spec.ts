import { createHash } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import type { NewOidcApplication } from '../../../src/domain/applications/applications.store.js';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { anAssertingApplication, asserted, makeSigner } from '../../support/assertions.js';
import { authorizeUrl, codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from './support/answers.js';

// Signed requests at addresses that applications have registered (OpenID Connect Core §6.2, RFC 9101 §5.2; security S430 to S434).

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', REQUEST_OBJECTS: 'signed' });
const guarded = useReplica(api, () => ({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse', REQUEST_OBJECTS: 'signed' }));
const off = useReplica(api, () => ({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' }));
const host = given(() => DocumentHost.start());
const user = given(() => aUser(world));
afterAll(() => host.stop());

const JWT = { 'content-type': 'application/jwt' };
type Members = Readonly<Record<string, unknown>>;
type Publisher = Awaited<ReturnType<typeof publishing>>;

let ahead = 0;
async function advance(seconds: number): Promise<void> {
  ahead += seconds;
  await api.advance(seconds);
}

let count = 0;
/** An application with one address of its own, at which nothing stands yet. */
async function publishing(changes: Partial<NewOidcApplication> = {}, registeredHash = '') {
  count += 1;
  const path = `/requests/${count}.jwt`;
  const requestUri = host.origin + path;
  const client = await anAssertingApplication(world, undefined, {
    requestUris: [requestUri + registeredHash],
    ...changes,
  });
  return { ...client, path, requestUri, fetches: () => host.asked.filter((one) => one === path).length };
}

/** As the certification suite signs it: with nothing that says until when. */
async function signed(client: Publisher, claims: Members = {}, by = client): Promise<string> {
  const payload = { ...codeRequest(client), iss: client.clientId, aud: 'https://id.test', ...claims };
  return await new SignJWT(payload)
    .setProtectedHeader({ alg: by.signer.alg, kid: by.keyId })
    .sign(by.signer.privateKey);
}

async function publish(client: Publisher, claims: Members = {}, headers: Record<string, string> = JWT) {
  const body = await signed(client, claims);
  host.answer(client.path, { headers, body });
  return body;
}

/** What the certification suite has beside the address; the state is inside alone. */
function named(client: Publisher, changes: Record<string, string> = {}): Record<string, string> {
  const { client_id = '', redirect_uri = '', response_type = '', scope = '' } = codeRequest(client);
  return { client_id, redirect_uri, response_type, scope, request_uri: client.requestUri, ...changes };
}

async function open(client: Publisher, changes: Record<string, string> = {}, by = api) {
  return await by.app.inject(authorizeUrl(named(client, changes)));
}

/** To the redirect URI outside, which is registered, with no more than stands outside. */
function expectRefused(response: LightMyRequestResponse, error = 'invalid_request_uri'): string {
  return expectRedirectedError(response, error, { state: null });
}

function expectTaken(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(302);
  expect(response.headers.location).toMatch(/^\/login\?flow=/);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

describe('a request that its application publishes', () => {
  it('is listed by discovery, with the addresses to be registered', async () => {
    const document = (await api.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(document).toMatchObject({
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
    });
  });

  it('is answered as the same request by value would be', async () => {
    const client = await publishing();
    await publish(client);
    const outside = named(client, { state: 'outside', scope: 'none', redirect_uri: 'https://evil.test/' });
    const answer = redirected(await new TestBrowser(api).signIn(outside, user));
    expect(answer.get('code')).not.toBeNull();
    expect(answer.get('state')).toBe('Marker-state');
  });

  it('sends errors of its content to the redirect URI inside', async () => {
    const client = await publishing();
    await publish(client, { scope: 'email' });
    expectRedirectedError(await open(client), 'invalid_scope');
  });

  it('needs no type, and may end with a line', async () => {
    const client = await publishing();
    host.answer(client.path, {
      headers: { 'content-type': 'text/plain' },
      body: `${await signed(client)}\n`,
    });
    expectTaken(await open(client));
  });

  it('is enough for an application that has to sign', async () => {
    const client = await publishing({ requireSignedRequestObject: true });
    await publish(client);
    expectTaken(await open(client));
  });

  it('has its time, where it says so', async () => {
    const client = await publishing();
    const now = Math.floor(Date.now() / 1000) + ahead;
    await publish(client, { exp: now - 61 });
    expectErrorPage(await open(client), 400, 'invalid_request_object');
  });
});

describe('the address of a published request', () => {
  it('is called once for all who ask within its time, and for those who ask at once', async () => {
    const client = await publishing();
    await publish(client);
    const all = await Promise.all(Array.from({ length: 5 }, () => open(client)));
    for (const response of all) expectTaken(response);
    expectTaken(await open(client));
    expect(client.fetches()).toBe(1);
    await advance(61);
    expectTaken(await open(client));
    expect(client.fetches()).toBe(2);
  });

  it('may have the hash of what stands there, which then counts for an hour', async () => {
    const client = await publishing();
    const first = hashOf(await publish(client));
    expectTaken(await open(client, { request_uri: `${client.requestUri}#${first}` }));
    await advance(1_000);
    expectTaken(await open(client, { request_uri: `${client.requestUri}#${first}` }));
    expect(client.fetches()).toBe(1);
    // another one has it fetched again
    const second = hashOf(await publish(client, { state: 'other' }));
    expectTaken(await open(client, { request_uri: `${client.requestUri}#${second}` }));
    expect(client.fetches()).toBe(2);
    await advance(11);
    const old = await open(client, { request_uri: `${client.requestUri}#${first}` });
    expect(expectRefused(old)).toContain('hash');
  });

  it('may be registered with a hash, of which nobody knew then what it would be of', async () => {
    const registered = `#${hashOf('nothing yet')}`;
    const client = await publishing({}, registered);
    await publish(client);
    expectTaken(await open(client, { request_uri: client.requestUri + registered }));
    await advance(61);
    expectTaken(await open(client));
  });
});

describe('what is refused of requests by reference', () => {
  it('any address that is not registered, and nobody is called (S430)', async () => {
    const client = await publishing();
    const other = await publishing();
    await Promise.all([publish(client), publish(other)]);
    for (const request_uri of [
      other.requestUri,
      `${client.requestUri}?x`,
      `${client.requestUri}/`,
      client.requestUri.replace('127.0.0.1', 'localhost'),
      client.requestUri.replace('http:', 'HTTP:'),
      'https://rp.test/request.jwt',
      'http://127.0.0.1:9464/metrics',
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'urn:other',
      'x',
      `${client.requestUri}#${'x'.repeat(512)}`,
    ]) {
      expectRefused(await open(client, { request_uri }));
    }
    expect([client.fetches(), other.fetches()]).toEqual([0, 0]);
  });

  it('goes nowhere where the redirect URI outside is none of the application (S430)', async () => {
    const client = await publishing();
    for (const changes of [{ redirect_uri: 'https://evil.test/cb' }, { redirect_uri: '' }]) {
      const response = await open(client, { request_uri: 'https://rp.test/other', ...changes });
      expectErrorPage(response, 400, 'invalid_request_uri');
    }
    const twice = `${authorizeUrl(named(client))}&redirect_uri=https://evil.test/`;
    expectErrorPage(await api.app.inject(twice), 400, 'invalid_request_uri');
    const uriTwice = `${authorizeUrl(named(client))}&request_uri=x`;
    expectErrorPage(await api.app.inject(uriTwice), 400, 'request_uri');
    expectErrorPage(await open(client, { client_id: 'nobody' }), 400, 'client_id');
    expectErrorPage(await open(client, { request: 'x.y.z' }), 400, 'exclude each other');
  });

  it('internal addresses, though they are registered (S431)', async () => {
    const client = await publishing();
    await publish(client);
    expectRefused(await open(client, {}, guarded));
    const requestUris = [
      'https://127.0.0.1/request',
      'https://169.254.169.254/latest',
      'https://[::ffff:7f00:1]/request',
      'https://localhost/request',
    ];
    const inside = await publishing({ requestUris });
    for (const request_uri of requestUris) {
      expect(expectRefused(await open(inside, { request_uri }, guarded))).toContain('cannot be fetched');
    }
    expect(client.fetches()).toBe(0);
  });

  it.each<[string, (body: string) => Parameters<DocumentHost['answer']>[1]]>([
    ['leads elsewhere', () => ({ status: 302, headers: { location: `${host.origin}/requests/1.jwt` } })],
    ['has more than 16 kB', (body) => ({ body: body + ' '.repeat(16_385 - body.length) })],
    ['is not there', () => ({ status: 404 })],
    ['fails', (body) => ({ status: 500, body })],
    ['has a page', () => ({ body: '<html>' })],
    ['has nothing', () => ({ body: '' })],
    ['has claims and no signature', (body) => ({ body: body.slice(0, body.lastIndexOf('.') + 1) })],
    ['breaks off', (body) => ({ body, headers: { 'content-length': '9000' } })],
    ['does not answer in time', () => ({ silent: true })],
  ])('an address that %s (S431)', async (_, answer) => {
    const client = await publishing();
    host.answer(client.path, answer(await signed(client)));
    expectRefused(await open(client));
    // nor is it called again at once
    expectRefused(await open(client));
    expect(client.fetches()).toBe(1);
    await publish(client);
    await advance(11);
    expectTaken(await open(client));
  });

  it('what another has signed, or for somebody else, is no request (S432)', async () => {
    const client = await publishing();
    const other = await publishing();
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const [, payload = '', signature = ''] = (await signed(client)).split('.');
    const bodies = [
      await signed(client, {}, { ...client, signer: makeSigner('ES256') }),
      await signed(client, {}, other),
      await signed(other),
      await signed(client, { client_id: other.clientId }),
      await signed(client, { iss: other.clientId }),
      await signed(client, { aud: 'https://evil.test' }),
      await signed(client, { sub: client.clientId }),
      await signed(client, { request: 'x.y.z' }),
      await signed(client, { request_uri: client.requestUri }),
      `${part({ alg: 'none', kid: client.keyId })}.${payload}.${signature}`,
      `${part({ alg: 'HS256', kid: client.keyId })}.${payload}.${signature}`,
    ];
    for (const body of bodies) {
      host.answer(client.path, { headers: JWT, body });
      await advance(61);
      expectErrorPage(await open(client), 400, 'invalid_request_object');
    }
  });

  it('a redirect URI inside that is none of the application (S432)', async () => {
    const client = await publishing();
    await publish(client, { redirect_uri: 'https://evil.test/' });
    expectErrorPage(await open(client), 400, 'redirect_uri');
  });

  it('many made-up hashes: they have nobody called more often (S433)', async () => {
    const client = await publishing();
    const known = hashOf(await publish(client));
    expectTaken(await open(client, { request_uri: `${client.requestUri}#${known}` }));
    for (let n = 0; n < 20; n += 1) {
      const response = await open(client, { request_uri: `${client.requestUri}#${hashOf(String(n))}` });
      expectRefused(response);
    }
    expect(client.fetches()).toBe(1);
    // nor is anybody kept out by it
    expectTaken(await open(client, { request_uri: `${client.requestUri}#${known}` }));
  });

  it('by an application that has to push, whatever it has registered (S434)', async () => {
    const strict = await publishing({ requirePushedAuthorizationRequests: true });
    const bank = await publishing({ securityProfile: 'fapi2' });
    for (const client of [strict, bank]) {
      await publish(client);
      expect(expectRefused(await open(client), 'invalid_request')).toContain('push');
      expect(client.fetches()).toBe(0);
    }
  });

  it('in a pushed request (S434)', async () => {
    const client = await publishing();
    await publish(client);
    const now = Math.floor(Date.now() / 1000) + ahead;
    const proof = await asserted(client, { claims: { iat: now, nbf: now, exp: now + 60 } });
    const form = { ...named(client), ...proof };
    expectOAuthError(await postForm(api, '/oauth/v2/par', form), 400, 'invalid_request');
    expect(client.fetches()).toBe(0);
  });

  it('by an application without keys', async () => {
    const secret = await anApplication(world, { requestUris: [`${host.origin}/requests/secret.jwt`] });
    const signer = await publishing();
    host.answer('/requests/secret.jwt', {
      body: await signed(signer, { client_id: secret.clientId, iss: secret.clientId }),
    });
    const request_uri = `${host.origin}/requests/secret.jwt`;
    const response = await open(signer, { client_id: secret.clientId, request_uri });
    expectErrorPage(response, 400, 'invalid_request_object');
  });

  it('all of them on an instance that takes no signed requests', async () => {
    const client = await publishing();
    await publish(client);
    expectRefused(await open(client, {}, off), 'request_uri_not_supported');
    const demanding = await publishing({ requireSignedRequestObject: true });
    await publish(demanding);
    expectRefused(await open(demanding, {}, off), 'invalid_request');
    expect([client.fetches(), demanding.fetches()]).toEqual([0, 0]);
    const document = (await off.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(document).toMatchObject({ request_uri_parameter_supported: false });
    expect(document).not.toHaveProperty('require_request_uri_registration');
  });
});
