import type { LightMyRequestResponse } from 'fastify';
import { CompactSign, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  anAssertingApplication,
  asserted,
  makeSigner,
  signAssertion,
  type AssertingClient,
} from '../../support/assertions.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, proofOf } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from './support/answers.js';

const { api, world } = useWorld({ REQUEST_OBJECTS: 'signed', RESOURCE_INDICATORS: 'on' });
const client = given(() => anAssertingApplication(world));
const user = given(() => aUser(world));

interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly by?: Pick<AssertingClient, 'signer' | 'keyId'>;
}

/** A request object as a good library makes it, but for the changes. */
async function signed({ claims = {}, header = {}, by = client }: Changes = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    ...codeRequest(client),
    iss: client.clientId,
    aud: 'https://id.test',
    exp: now + 60,
    ...claims,
  };
  return await new SignJWT(payload)
    .setProtectedHeader({ alg: by.signer.alg, kid: by.keyId, typ: 'oauth-authz-req+jwt', ...header })
    .sign(by.signer.privateKey);
}

async function open(request: string, outside: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  const browser = await aSignedInBrowser(api, client, user);
  return await browser.get(authorizeUrl({ client_id: client.clientId, request, ...outside }));
}

async function push(request: string): Promise<LightMyRequestResponse> {
  const form = { client_id: client.clientId, request, ...(await asserted(client)) };
  return await postForm(api, '/oauth/v2/par', form);
}

describe('a signed request', () => {
  it('is listed by discovery', async () => {
    const document = (await api.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(document).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      request_object_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    });
  });

  it('is answered as the same request outside would be', async () => {
    const answer = redirected(await open(await signed()));
    expect(answer.get('code')).not.toBeNull();
    expect(answer.get('state')).toBe('Marker-state');
  });

  it('counts alone: what stands outside does not', async () => {
    const outside = codeRequest(client, { redirect_uri: 'https://evil.test/cb', state: 'x', scope: 'x' });
    const answered = await open(await signed({ claims: { prompt: 'none' } }), outside);
    expect(answered.headers.location).toMatch(/^https:\/\/rp\.test\/cb\?/);
    expect(redirected(answered).get('state')).toBe('Marker-state');
  });

  it('has numbers and objects as JSON has them', async () => {
    const claims = { max_age: 600, claims: { userinfo: { name: null } } };
    expect(redirected(await open(await signed({ claims }))).get('code')).not.toBeNull();
  });

  it('has several resources as an array (RFC 8707 §2.1)', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const uris = ['https://one.test', 'https://two.test'];
    for (const uri of uris) {
      const made = await owner.call('POST', 'projects', { name: uri, resourceUri: uri });
      expect(made.statusCode, made.body).toBe(200);
    }
    for (const resource of ['https://one.test', ['https://one.test'], uris]) {
      const answer = redirected(await open(await signed({ claims: { resource } })));
      expect(answer.get('error_description')).toBeNull();
      expect(answer.get('code')).not.toBeNull();
      expect((await push(await signed({ claims: { resource } }))).statusCode).toBe(201);
    }
    for (const resource of [
      [],
      [1],
      { uri: 'https://one.test' },
      ['https://one.test', 'https://foreign.test'],
    ]) {
      const answer = redirected(await open(await signed({ claims: { resource } })));
      expect(answer.get('error')).toBe('invalid_target');
    }
  });

  it('may be pushed', async () => {
    const pushed = await push(await signed());
    expect(pushed.statusCode).toBe(201);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answered = await new TestBrowser(api).signIn({ client_id: client.clientId, request_uri }, user);
    expect(redirected(answered).get('code')).not.toBeNull();
  });

  it('binds its code to one key, which a proof beside it has to be of, and nothing outside names another (S500)', async () => {
    const [key, other] = [await aProofKey(), await aProofKey()];
    const bound = async (
      inside: Record<string, string>,
      outside: Record<string, string> = {},
      at = '/oauth/v2/par',
    ) => {
      const request = await signed({ claims: inside });
      const form = { client_id: client.clientId, request, ...outside, ...(await asserted(client)) };
      return await postForm(api, '/oauth/v2/par', form, { dpop: await proofOf(key, 'POST', at) });
    };
    expectOAuthError(await bound({ dpop_jkt: other.jkt }), 400, 'invalid_dpop_proof');
    expectOAuthError(await bound({}, {}, '/oauth/v2/token'), 400, 'invalid_dpop_proof');
    expect((await bound({ dpop_jkt: key.jkt }, { dpop_jkt: other.jkt })).statusCode).toBe(201);
  });

  it('counts for nothing beside the name of a request that was pushed (S500)', async () => {
    const pushed = await push(await signed({ claims: { state: 'pushed' } }));
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answered = await open(await signed({ claims: { state: 'beside' } }), { request_uri });
    expect(redirected(answered).get('state')).toBe('pushed');
  });

  it('sends errors of its content to the redirect URI inside', async () => {
    const request = await signed({ claims: { scope: 'email', redirect_uri: 'https://rp.test/cb' } });
    expectRedirectedError(await open(request), 'invalid_scope');
  });

  const other = given(() => anAssertingApplication(world));
  const now = (): number => Math.floor(Date.now() / 1000);

  it('is refused by a key of an application that has a secret by now', async () => {
    const moved = await anAssertingApplication(world);
    const claims = { client_id: moved.clientId, iss: moved.clientId };
    const request = await signed({ by: moved, claims });
    await api.sql.query(
      `UPDATE applications SET auth_method = 'client_secret_basic', client_secret_hash = sha256('x') WHERE id = $1`,
      [moved.id],
    );
    const url = authorizeUrl({ client_id: moved.clientId, request });
    expectErrorPage(await api.app.inject(url), 400, 'invalid_request_object');
  });

  it.each<[string, () => Changes]>([
    ['of another application', () => ({ by: other })],
    ['by a key that is not on file', () => ({ by: { signer: makeSigner('ES256'), keyId: client.keyId } })],
    ['by a key of another kind', () => ({ by: { signer: makeSigner('RS256'), keyId: client.keyId } })],
    ['with a key id that is none', () => ({ header: { kid: 'a b' } })],
    ['of another type', () => ({ header: { typ: 'dpop+jwt' } })],
    ['that names another client', () => ({ claims: { client_id: other.clientId } })],
    ['that names no client', () => ({ claims: { client_id: undefined } })],
    ['of another issuer', () => ({ claims: { iss: other.clientId } })],
    ['for another service', () => ({ claims: { aud: 'https://evil.test' } })],
    ['for nobody', () => ({ claims: { aud: undefined } })],
    ['that has expired', () => ({ claims: { exp: now() - 61 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['that lasts for ever', () => ({ claims: { exp: 4_102_444_800 } })],
    ['from long ago', () => ({ claims: { nbf: now() - 3_700 } })],
    ['for later', () => ({ claims: { nbf: now() + 130 } })],
    ['from the future', () => ({ claims: { iat: now() + 130 } })],
    ['with a subject', () => ({ claims: { sub: client.clientId } })],
    ['with another one inside', () => ({ claims: { request: 'x.y.z' } })],
    ['with an address inside', () => ({ claims: { request_uri: 'http://127.0.0.1/' } })],
  ])('is refused %s, and nothing is sent anywhere (S257)', async (_name, changes) => {
    const request = await signed(changes());
    expectErrorPage(await open(request, codeRequest(client)), 400, 'invalid_request_object');
    expectOAuthError(await push(request), 400, 'invalid_request_object');
  });

  it('is refused unsigned, by a secret, changed or malformed (S257)', async () => {
    const good = await signed();
    const [, payload = '', signature = ''] = good.split('.');
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    for (const request of [
      `${part({ alg: 'none', kid: client.keyId })}.${payload}.`,
      `${part({ alg: 'HS256', kid: client.keyId })}.${payload}.${signature}`,
      `${good.slice(0, -6)}AAAAAA`,
      'x.y.z',
      'x',
      `${good}.x.y`,
    ]) {
      expectErrorPage(await open(request, codeRequest(client)), 400, 'invalid_request_object');
    }
  });

  it('is no client assertion, and none is one (S257)', async () => {
    const assertion = await signAssertion(client, 'https://id.test', { claims: codeRequest(client) });
    expectErrorPage(await open(assertion), 400, 'invalid_request_object');
    const asClient = {
      ...codeRequest(client),
      ...(await asserted(client)),
      client_assertion: await signed({ header: { typ: 'JWT' }, claims: { iat: now() } }),
    };
    expectOAuthError(await postForm(api, '/oauth/v2/par', asClient), 401, 'invalid_client');
  });

  it('is refused where it is nested too deeply to be written again, as any that is wrong (S492)', async () => {
    const { signer, clientId, keyId } = client;
    const levels = 5_900;
    const claims = JSON.stringify({
      ...codeRequest(client),
      iss: clientId,
      aud: 'https://id.test',
      exp: now() + 60,
    });
    const text = `${claims.slice(0, -1)},"claims":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const request = await new CompactSign(Buffer.from(text))
      .setProtectedHeader({ alg: signer.alg, kid: keyId })
      .sign(signer.privateKey);
    const form = { client_id: clientId, request, ...(await asserted(client)) };
    expectOAuthError(await postForm(api, '/oauth/v2/par', form), 400, 'invalid_request_object');
  });

  it('does not travel beside another', async () => {
    const request = await signed();
    const outside = { request_uri: 'https://rp.test/request.jwt' };
    expectErrorPage(await open(request, outside), 400);
    const twice = `${authorizeUrl({ client_id: client.clientId, request })}&request=x`;
    expectErrorPage(await api.app.inject(twice), 400, 'request');
  });

  it('needs an application that signs', async () => {
    const secret = await anApplication(world);
    const request = await signed({ claims: { client_id: secret.clientId, iss: secret.clientId } });
    const url = authorizeUrl({ client_id: secret.clientId, request });
    expectErrorPage(await api.app.inject(url), 400, 'invalid_request_object');
  });
});
