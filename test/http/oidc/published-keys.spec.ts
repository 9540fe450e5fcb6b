import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  asserted,
  makeSigner,
  type AssertionChanges,
  type AssertionSubject,
  type Signer,
} from '../../support/assertions.js';
import { aSignedInBrowser, authorizeUrl, codeRequest, redirected } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

// Applications that publish their keys (RFC 7591 §2, jwks_uri; security S290).

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', REQUEST_OBJECTS: 'signed' });
const guarded = useReplica(api, () => ({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse' }));
const host = given(() => DocumentHost.start());
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
afterAll(() => host.stop());

let count = 0;
function setOf(...keys: readonly object[]): string {
  return JSON.stringify({ keys });
}
function named(signer: Signer, kid = 'k1'): object {
  return { ...signer.publicJwk, kid };
}

/** An application with whatever its server answers. */
async function publishing(body: string, headers: Record<string, string> = {}, status = 200) {
  count += 1;
  const path = `/keys/${count}`;
  const jwksUri = host.answer(path, { body, headers, status });
  const client = await anApplication(world, { authMethod: 'private_key_jwt', jwksUri, devMode: true });
  return { ...client, path, jwksUri, fetches: () => host.asked.filter((one) => one === path).length };
}

let ahead = 0;
async function advance(seconds: number): Promise<void> {
  ahead += seconds;
  await api.advance(seconds);
}

/** Introspection of nothing in particular: 200 for whoever is who they say. */
async function prove(
  subject: AssertionSubject,
  { claims = {}, header = {} }: AssertionChanges = {},
  by = api,
): Promise<LightMyRequestResponse> {
  const now = Math.floor(Date.now() / 1000) + (by === api ? ahead : 0);
  const changes = { claims: { iat: now, nbf: now, exp: now + 60, ...claims }, header };
  return await postForm(by, '/oauth/v2/introspect', { token: 'x', ...(await asserted(subject, changes)) });
}

describe('an application that publishes its keys', () => {
  it('proves who it is by any of them, which are fetched once', async () => {
    const [first, second] = [makeSigner('ES256'), makeSigner('PS256')];
    const client = await publishing(setOf(named(first, 'a'), named(second, 'b')));
    const both = [
      { ...client, keyId: 'a', signer: first },
      { ...client, keyId: 'b', signer: second },
    ];
    const all = await Promise.all([...both, ...both].map((one) => prove(one)));
    expect(all.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(client.fetches()).toBe(1);
  });

  it('need not name the only one, neither there nor in what it signs', async () => {
    const signer = makeSigner('ES256');
    const nameless = { ...(await publishing(setOf(signer.publicJwk))), signer };
    expect((await prove({ ...nameless, keyId: '' })).statusCode).toBe(200);
    expect((await prove({ ...nameless, keyId: 'k1' })).statusCode).toBe(401);
    const one = { ...(await publishing(setOf(named(signer)))), signer };
    expect((await prove({ ...one, keyId: '' })).statusCode).toBe(200);
    const two = { ...(await publishing(setOf(named(signer), named(makeSigner('ES256'), 'k2')))), signer };
    expect((await prove({ ...two, keyId: '' })).statusCode).toBe(401);
    const mixed = { ...(await publishing(setOf(named(makeSigner('ES256')), signer.publicJwk))), signer };
    expect((await prove({ ...mixed, keyId: '' })).statusCode).toBe(401);
  });

  it('signs requests with them', async () => {
    const signer = makeSigner('ES256');
    const client = await publishing(setOf(named(signer)), { 'content-type': 'application/jwk-set+json' });
    const user = await aUser(world);
    const claims = { ...codeRequest(client), iss: client.clientId, aud: 'https://id.test' };
    const request = await new SignJWT(claims)
      .setExpirationTime('1m')
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'oauth-authz-req+jwt' })
      .sign(signer.privateKey);
    const browser = await aSignedInBrowser(api, client, user);
    const answer = await browser.get(authorizeUrl({ client_id: client.clientId, request }));
    expect(redirected(answer).get('code')).not.toBeNull();
  });

  it('changes its keys by itself', async () => {
    const [before, after] = [makeSigner('ES256'), makeSigner('ES256')];
    const client = await publishing(setOf(named(before, 'old')));
    const old = { ...client, keyId: 'old', signer: before };
    const fresh = { ...client, keyId: 'new', signer: after };
    expect((await prove(old)).statusCode).toBe(200);
    host.answer(client.path, { body: setOf(named(before, 'old'), named(after, 'new')) });
    expectOAuthError(await prove(fresh), 401, 'invalid_client');
    await advance(31);
    expect((await prove(fresh)).statusCode).toBe(200);
    expect((await prove(old)).statusCode).toBe(200);
    host.answer(client.path, { body: setOf(named(after, 'new')) });
    await advance(601);
    expectOAuthError(await prove(old), 401, 'invalid_client');
    expect((await prove(fresh)).statusCode).toBe(200);
  });

  it('is still let in for an hour while its server is away, and told so after that', async () => {
    const signer = makeSigner('ES256');
    const client = { ...(await publishing(setOf(named(signer)))), keyId: 'k1', signer };
    expect((await prove(client)).statusCode).toBe(200);
    host.answer(client.path, { status: 500 });
    await advance(700);
    expect((await prove(client)).statusCode).toBe(200);
    await advance(3_000);
    expectOAuthError(await prove(client), 503, 'temporarily_unavailable');
  });
});

describe('the address of keys', () => {
  it('is called at most once in half a minute, however many key ids are made up', async () => {
    const signer = makeSigner('ES256');
    const client = { ...(await publishing(setOf(named(signer)))), keyId: 'k1', signer };
    const guess = () => prove({ ...client, keyId: `made-up-${Math.random()}`, signer: makeSigner('ES256') });
    const flood = await Promise.all(Array.from({ length: 20 }, guess));
    for (const response of flood) expectOAuthError(response, 401, 'invalid_client');
    expect(client.fetches()).toBe(1);
    // nor is anybody kept out by it
    expect((await prove(client)).statusCode).toBe(200);
    await advance(31);
    await Promise.all(Array.from({ length: 20 }, guess));
    expect(client.fetches()).toBe(2);
  });

  it('is not called again and again while nothing is to be had there', async () => {
    const client = { ...(await publishing('', {}, 500)), keyId: 'k1', signer: makeSigner('ES256') };
    for (let n = 0; n < 5; n += 1) {
      expectOAuthError(await prove(client), 503, 'temporarily_unavailable');
    }
    expect(client.fetches()).toBe(1);
  });

  it('is not called for what would be refused with any key', async () => {
    const client = { ...(await publishing(setOf())), keyId: 'k1', signer: makeSigner('ES256') };
    const foreign = await prove(client, { claims: { aud: 'https://other.test' } });
    expectOAuthError(foreign, 401, 'invalid_client');
    expect(client.fetches()).toBe(0);
  });

  it('is not called where it is an internal one', async () => {
    const signer = makeSigner('ES256');
    const client = { ...(await publishing(setOf(named(signer)))), keyId: 'k1', signer };
    expectOAuthError(await prove(client, {}, guarded), 503, 'temporarily_unavailable');
    for (const jwksUri of [
      'https://127.0.0.1/keys',
      'https://169.254.169.254/latest',
      'https://[::ffff:7f00:1]/keys',
      'https://localhost/keys',
    ]) {
      const inside = await anApplication(world, { authMethod: 'private_key_jwt', jwksUri });
      const refused = await prove({ ...inside, keyId: 'k1', signer }, {}, guarded);
      expectOAuthError(refused, 503, 'temporarily_unavailable');
    }
    expect(client.fetches()).toBe(0);
  });

  it.each<[string, (signer: Signer) => Parameters<typeof publishing>]>([
    ['leads elsewhere', () => ['', { location: `${host.origin}/keys/1` }, 302]],
    ['has a page', (signer) => [setOf(named(signer)), { 'content-type': 'text/html' }]],
    ['has more than 64 kB', (signer) => [setOf(named(signer), { x: 'x'.repeat(70_000) })]],
  ])('counts for nothing where it %s', async (_, answer) => {
    const signer = makeSigner('ES256');
    const client = await publishing(...answer(signer));
    const response = await prove({ ...client, keyId: 'k1', signer });
    expectOAuthError(response, 503, 'temporarily_unavailable');
  });

  it.each<[string, (signer: Signer) => string]>([
    ['a private key', (signer) => setOf({ ...signer.privateKey.export({ format: 'jwk' }), kid: 'k1' })],
    ['a symmetric key', (signer) => setOf(named(signer), { kty: 'oct', k: 'AAAA', kid: 'k2' })],
    ['a kid twice', (signer) => setOf(named(signer), named(makeSigner('ES256')))],
    ['more than 20 keys', (signer) => setOf(...Array.from({ length: 21 }, () => named(signer)))],
    ['no keys', () => '{"keys":{}}'],
    ['what is no JSON', () => '{'],
    ['a key that is for encryption', (signer) => setOf({ ...named(signer), use: 'enc' })],
    ['a key without a name', (signer) => setOf(signer.publicJwk)],
  ])('counts for nothing with %s', async (_, body) => {
    const signer = makeSigner('ES256');
    const client = await publishing(body(signer));
    expectOAuthError(await prove({ ...client, keyId: 'k1', signer }), 401, 'invalid_client');
  });

  it('has keys of other kinds passed over', async () => {
    const signer = makeSigner('ES256');
    const other = { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA', kid: 'other' };
    const client = await publishing(setOf(other, named(signer)));
    expect((await prove({ ...client, keyId: 'k1', signer })).statusCode).toBe(200);
  });
});

describe('keys here and keys elsewhere', () => {
  const PATH = () => `projects/${world.projectId}/apps`;
  const SIGNS = {
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
    redirectUris: ['https://rp.test/cb'],
  };
  const jwksUri = 'https://rp.test/keys';

  it('exclude each other', async () => {
    const created = await owner.call('POST', `${PATH()}/oidc`, { name: 'Bank', ...SIGNS, jwksUri });
    expect(created.statusCode).toBe(200);
    const { appId } = created.json<{ appId: string }>();
    const app = await owner.call('GET', `${PATH()}/${appId}`);
    expect(app.json()).toMatchObject({ app: { oidcConfig: { jwksUri } } });
    const keys = `${PATH()}/${appId}/keys`;
    const key = { type: 'KEY_TYPE_JSON' };
    expect((await owner.call('POST', keys, key)).statusCode).toBe(400);
    const config = `${PATH()}/${appId}/oidc_config`;
    expect((await owner.call('PUT', config, SIGNS)).statusCode).toBe(200);
    expect((await owner.call('POST', keys, key)).statusCode).toBe(200);
    expect((await owner.call('PUT', config, { ...SIGNS, jwksUri })).statusCode).toBe(400);
  });

  it('are of use to an application that signs alone, and on https', async () => {
    const basic = { name: 'Secret', redirectUris: SIGNS.redirectUris, jwksUri };
    expect((await owner.call('POST', `${PATH()}/oidc`, basic)).json<{ message: string }>().message).toContain(
      'jwksUri is for the method private_key_jwt alone',
    );
    const clear = { name: 'Clear', ...SIGNS, jwksUri: 'http://rp.test/keys' };
    expect((await owner.call('POST', `${PATH()}/oidc`, clear)).json<{ message: string }>().message).toContain(
      'jwksUri must use https',
    );
    const api_ = { name: 'Orders', authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT', jwksUri };
    expect((await owner.call('POST', `${PATH()}/api`, api_)).statusCode).toBe(200);
  });

  it('end what the application holds where the address changes', async () => {
    const epoch = async (appId: string) =>
      (await api.sql.query(`SELECT token_epoch FROM applications WHERE id = $1`, [appId])).rows;
    const created = await owner.call('POST', `${PATH()}/oidc`, { name: 'Moves', ...SIGNS, jwksUri });
    const { appId } = created.json<{ appId: string }>();
    const put = async (to: string) =>
      await owner.call('PUT', `${PATH()}/${appId}/oidc_config`, { ...SIGNS, jwksUri: to });
    await put(jwksUri);
    expect(await epoch(appId)).toEqual([{ token_epoch: 0 }]);
    await put('https://rp.test/others');
    expect(await epoch(appId)).toEqual([{ token_epoch: 1 }]);
  });
});
