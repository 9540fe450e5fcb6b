import { X509Certificate } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import { anApplication, REDIRECT_URI, type TestClient } from '../../support/applications.js';
import { addKey, anAssertingApplication } from '../../support/assertions.js';
import {
  authorizeUrl,
  codeRequest,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  TestBrowser,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aCertificate, anAuthority, type TestCertificate } from '../../support/certificates.js';
import { aProofKey, boundBy, proofOf } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

// RFC 8705. The proxy is 127.0.0.1, the address that `inject` sends from.

type NewApplication = Parameters<ApplicationsStore['add']>[2];
type Changes = Partial<Extract<NewApplication, { redirectUris: unknown }>>;

const TOKEN = '/oauth/v2/token';
const USERINFO = '/oidc/v1/userinfo';
const NAME = 'C=DE, O=Bank, CN=client';
const DN = 'CN=client,O=Bank,C=DE';

const authority = await anAuthority();
const certificate = await aCertificate({ subject: NAME, issuer: authority });
const other = await aCertificate({ subject: 'C=DE, O=Bank, CN=other', issuer: authority });
const selfSigned = await aCertificate({ subject: NAME });
const expired = await aCertificate({ subject: NAME, issuer: authority, days: [-2, -1] });

const { api, world } = useWorld({
  MTLS_CERTIFICATE_HEADER: 'Client-Cert',
  MTLS_BASE_URL: 'https://mtls.id.test',
  MTLS_CA_CERTIFICATES: authority.pem,
  TRUSTED_PROXIES: '127.0.0.1',
});
const user = given(() => aUser(world));

const BY_CA = { authMethod: 'tls_client_auth', tlsClientAuthSubjectDn: DN } as const;
const BOUND = { tlsClientCertificateBoundAccessTokens: true } as const;
const bank = given(() => anApplication(world, { ...BY_CA, ...BOUND }));

/** One whose key is on file. */
async function aSelfSigned(changes: Changes = {}, its: TestCertificate = selfSigned): Promise<TestClient> {
  const client = await anApplication(world, { authMethod: 'self_signed_tls_client_auth', ...changes });
  await addKey(api, world, client, { publicJwk: its.publicJwk } as Parameters<typeof addKey>[3]);
  return client;
}

interface Sending {
  readonly by?: TestCertificate | undefined;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

function headersOf({ by, headers = {} }: Sending): Record<string, string> {
  return {
    host: 'mtls.id.test',
    'x-forwarded-for': '198.51.100.7',
    ...(by && { 'client-cert': by.header }),
    ...headers,
  };
}

async function post(
  url: string,
  form: Record<string, string>,
  sending: Sending = {},
): Promise<LightMyRequestResponse> {
  return await postForm(api, url, form, headersOf(sending), sending.from);
}

async function get(url: string, token: string, sending: Sending = {}): Promise<LightMyRequestResponse> {
  return await api.app.inject({
    url,
    headers: { authorization: `Bearer ${token}`, ...headersOf(sending) },
    remoteAddress: sending.from ?? '127.0.0.1',
  });
}

async function aCode(client: TestClient, changes: Record<string, string> = {}): Promise<string> {
  const answer = redirected(await new TestBrowser(api).signIn(codeRequest(client, changes), user));
  return answer.get('code') ?? '';
}

async function redeem(
  client: TestClient,
  sending: Sending,
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const form = { ...redemption(await aCode(client, changes)), client_id: client.clientId };
  return await post(TOKEN, form, sending);
}

async function tokensOf(client: TestClient, by: TestCertificate): Promise<TokenAnswer> {
  const response = await redeem(client, { by });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

function refresh(client: TestClient, token: string): Record<string, string> {
  return refreshRequest(token, { client_id: client.clientId });
}

/** Refused without a code that would be used up. */
async function guess(client: TestClient, sending: Sending): Promise<LightMyRequestResponse> {
  return await post(TOKEN, refresh(client, `rt_${'A'.repeat(43)}`), sending);
}

describe('tls_client_auth (RFC 8705 §2.1)', () => {
  it('lets in the client that the certificate names', async () => {
    expect((await redeem(bank, { by: certificate })).statusCode).toBe(200);
    const withPort = { by: certificate, headers: { host: 'mtls.id.test:443' } };
    expect((await redeem(bank, withPort)).statusCode).toBe(200);
  });

  it.each<[string, Sending]>([
    ['no certificate', {}],
    ['a certificate of the same authority for somebody else', { by: other }],
    ['a certificate of the same name that nobody has issued', { by: selfSigned }],
    ['a certificate whose time is over', { by: expired }],
    ['a header that says nothing', { headers: { 'client-cert': '' } }],
    [
      'a header that is not one certificate',
      { headers: { 'client-cert': `${certificate.header}, ${certificate.header}` } },
    ],
    ['a header from an address that is no proxy', { by: certificate, from: '203.0.113.9' }],
    ['a header at the host of people', { by: certificate, headers: { host: 'id.test' } }],
    [
      'a header at the host of people, forwarded or not',
      { by: certificate, headers: { host: 'id.test', 'x-forwarded-host': 'mtls.id.test' } },
    ],
    ['a header of another name', { headers: { 'x-client-cert': certificate.header } }],
  ])('refuses %s (S287, S288)', async (_, sending) => {
    expectOAuthError(await guess(bank, sending), 401, 'invalid_client');
  });

  it('refuses the certificate where another method is used beside or in its place', async () => {
    const form = { ...refresh(bank, `rt_${'A'.repeat(43)}`), client_secret: 'secret' };
    expectOAuthError(await post(TOKEN, form, { by: certificate }), 401, 'invalid_client');
  });

  it('takes an e-mail address, a host, a URI or an address of the network for a name as well', async () => {
    const named = await aCertificate({
      issuer: authority,
      names: [
        { type: 'dns', value: 'client.example.com' },
        { type: 'url', value: 'spiffe://example.com/client' },
        { type: 'ip', value: '10.0.0.1' },
        { type: 'email', value: 'client@example.com' },
      ],
    });
    for (const name of [
      { tlsClientAuthSanDns: 'client.example.com' },
      { tlsClientAuthSanUri: 'spiffe://example.com/client' },
      { tlsClientAuthSanIp: '10.0.0.1' },
      { tlsClientAuthSanEmail: 'client@example.com' },
    ]) {
      const client = await anApplication(world, { authMethod: 'tls_client_auth', ...name });
      expectOAuthError(await guess(client, { by: named }), 400, 'invalid_grant');
      expectOAuthError(await guess(client, { by: certificate }), 401, 'invalid_client');
    }
  });

  it('lets nobody in by a certificate who is registered for something else', async () => {
    const secret = await anApplication(world);
    const key = await anAssertingApplication(world);
    for (const client of [secret, key]) {
      expectOAuthError(await guess(client, { by: certificate }), 401, 'invalid_client');
    }
  });

  it('is taken where tokens are revoked, introspected and requests pushed', async () => {
    const { access_token: token } = await tokensOf(bank, certificate);
    const form = { token, client_id: bank.clientId };
    const asked = await post('/oauth/v2/introspect', form, { by: certificate });
    expect(asked.json()).toMatchObject({
      active: true,
      token_type: 'Bearer',
      cnf: { 'x5t#S256': certificate.thumbprint },
    });
    expectOAuthError(await post('/oauth/v2/introspect', form, { by: other }), 401, 'invalid_client');
    expect((await post('/oauth/v2/par', codeRequest(bank), { by: certificate })).statusCode).toBe(201);
    expectOAuthError(await post('/oauth/v2/par', codeRequest(bank), { by: other }), 401, 'invalid_client');
    expectOAuthError(await post('/oauth/v2/revoke', form, { by: other }), 401, 'invalid_client');
    expect((await post('/oauth/v2/revoke', form, { by: certificate })).statusCode).toBe(200);
    expect((await get(USERINFO, token, { by: certificate })).statusCode).toBe(401);
  });
});

describe('self_signed_tls_client_auth (RFC 8705 §2.2)', () => {
  it('lets in whoever has a certificate with a registered key', async () => {
    const client = await aSelfSigned();
    expect((await redeem(client, { by: selfSigned })).statusCode).toBe(200);
    const renewed = await aCertificate({ subject: 'CN=renewed', keys: selfSigned.keys });
    expectOAuthError(await guess(client, { by: renewed }), 400, 'invalid_grant');
  });

  it('refuses another key, whatever the certificate says and whoever has issued it (S288)', async () => {
    const client = await aSelfSigned();
    for (const by of [undefined, certificate, await aCertificate({ subject: NAME })]) {
      expectOAuthError(await guess(client, { by }), 401, 'invalid_client');
    }
  });

  it('refuses a key of another application, and one that has expired', async () => {
    const theirs = await aCertificate();
    await aSelfSigned({}, theirs);
    const client = await anApplication(world, { authMethod: 'self_signed_tls_client_auth' });
    expectOAuthError(await guess(client, { by: theirs }), 401, 'invalid_client');
    const signer = { publicJwk: theirs.publicJwk } as Parameters<typeof addKey>[3];
    await addKey(api, world, client, signer, new Date(Date.now() - 1000));
    expectOAuthError(await guess(client, { by: theirs }), 401, 'invalid_client');
  });
});

describe('access tokens that are bound to a certificate (RFC 8705 §3)', () => {
  it.each(['opaque', 'jwt'] as const)('are good with it alone (S289): %s', async (accessTokenType) => {
    const client = await anApplication(world, { ...BY_CA, ...BOUND, accessTokenType });
    const tokens = await tokensOf(client, certificate);
    expect(tokens.token_type).toBe('Bearer');
    const cnf = { 'x5t#S256': certificate.thumbprint };
    if (accessTokenType === 'jwt') expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf });
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty('cnf');
    expect((await get(USERINFO, tokens.access_token, { by: certificate })).statusCode).toBe(200);
    for (const sending of [{}, { by: other }, { by: certificate, from: '203.0.113.9' }]) {
      const refused = await get(USERINFO, tokens.access_token, sending);
      expectOAuthError(refused, 401, 'invalid_token');
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
    }
  });

  it('are not good with a proof in place of the certificate (S289)', async () => {
    const { access_token: token } = await tokensOf(bank, certificate);
    const key = await aProofKey();
    const headers = headersOf({ headers: await boundBy(key, token, 'GET', USERINFO) });
    expectOAuthError(await api.app.inject({ url: USERINFO, headers }), 401, 'invalid_token');
  });

  it('are good at the APIs with the certificate alone', async () => {
    const client = await anApplication(world, { ...BY_CA, ...BOUND, managementAccess: 'instance' });
    const form = {
      ...redemption(await aCode(client, { scope: `openid ${API_SCOPE}` })),
      client_id: client.clientId,
    };
    const { access_token: token } = (await post(TOKEN, form, { by: certificate })).json<TokenAnswer>();
    expect((await get('/auth/v1/users/me', token, { by: certificate })).statusCode).toBe(200);
    const refused = await get('/auth/v1/users/me', token, { by: other });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  it('are all that the application gets', async () => {
    const { challenge, verifier } = pkce();
    const client = await anApplication(world, { authMethod: 'none', ...BOUND });
    const form = {
      ...redemption(await aCode(client, challenge), { code_verifier: verifier }),
      client_id: client.clientId,
    };
    expectOAuthError(await post(TOKEN, form), 400, 'invalid_request');
    const dpop = await proofOf(await aProofKey(), 'POST', TOKEN);
    const both = await post(TOKEN, form, { by: certificate, headers: { dpop } });
    expectOAuthError(both, 400, 'invalid_dpop_proof');
    expect((await post(TOKEN, form, { by: certificate })).statusCode).toBe(200);
    const implicit = await anApplication(world, {
      ...BOUND,
      grantTypes: ['implicit'],
      responseTypes: ['id_token token'],
    });
    const request = { ...codeRequest(implicit), response_type: 'id_token token', nonce: 'n' };
    const refused = await api.app.inject(authorizeUrl(request));
    expect(refused.headers.location).toContain('#error=unauthorized_client');
  });

  it('are bound to nothing where the application does not want that', async () => {
    const client = await anApplication(world, BY_CA);
    const tokens = await tokensOf(client, certificate);
    expect((await get(USERINFO, tokens.access_token)).statusCode).toBe(200);
  });

  it('keep refresh tokens of public clients with the certificate (§4, S289)', async () => {
    const { challenge, verifier } = pkce();
    const client = await anApplication(world, { authMethod: 'none', ...BOUND });
    const code = await aCode(client, { ...challenge, scope: 'openid offline_access' });
    const form = { ...redemption(code, { code_verifier: verifier }), client_id: client.clientId };
    const first = (await post(TOKEN, form, { by: selfSigned })).json<TokenAnswer>();
    const swap = await post(TOKEN, refresh(client, first.refresh_token), { by: other });
    expectOAuthError(swap, 400, 'invalid_grant');
    const again = await post(TOKEN, refresh(client, first.refresh_token), { by: selfSigned });
    expect(again.statusCode).toBe(200);
    const { access_token: token } = again.json<TokenAnswer>();
    expect((await get(USERINFO, token, { by: selfSigned })).statusCode).toBe(200);
    expect((await get(USERINFO, token, { by: other })).statusCode).toBe(401);
  });

  it('follow a confidential client to its next certificate at a refresh', async () => {
    const next = await aCertificate({ subject: NAME, issuer: authority });
    const first = (
      await redeem(bank, { by: certificate }, { scope: 'openid offline_access' })
    ).json<TokenAnswer>();
    const refreshed = await post(TOKEN, refresh(bank, first.refresh_token), { by: next });
    expect(refreshed.statusCode).toBe(200);
    const { access_token: token } = refreshed.json<TokenAnswer>();
    expect((await get(USERINFO, token, { by: next })).statusCode).toBe(200);
    expect((await get(USERINFO, token, { by: certificate })).statusCode).toBe(401);
  });
});

describe('FAPI 2.0 with certificates (Security Profile §5.3.2.1)', () => {
  const PROFILE = { securityProfile: 'fapi2', ...BOUND } as const;

  async function signIn(client: TestClient, by: TestCertificate): Promise<LightMyRequestResponse> {
    const { challenge, verifier } = pkce();
    const pushed = await post('/oauth/v2/par', codeRequest(client, challenge), { by });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answer = await new TestBrowser(api).signIn({ client_id: client.clientId, request_uri }, user);
    const code = redirected(answer).get('code') ?? '';
    const form = { ...redemption(code, { code_verifier: verifier }), client_id: client.clientId };
    return await post(TOKEN, form, { by });
  }

  it('signs people in without an assertion and without a proof', async () => {
    for (const [client, by] of [
      [await anApplication(world, { ...BY_CA, ...PROFILE }), certificate],
      [await aSelfSigned(PROFILE), selfSigned],
    ] as const) {
      const tokens = (await signIn(client, by)).json<TokenAnswer>();
      expect((await get(USERINFO, tokens.access_token, { by })).statusCode).toBe(200);
      expect((await get(USERINFO, tokens.access_token)).statusCode).toBe(401);
    }
  });

  it('demands a proof where tokens are not bound to the certificate', async () => {
    const client = await anApplication(world, { ...BY_CA, securityProfile: 'fapi2' });
    expectOAuthError(await guess(client, { by: certificate }), 400, 'invalid_dpop_proof');
    const key = await aProofKey();
    const at = async (url: string): Promise<LightMyRequestResponse> =>
      await guess(client, { by: certificate, headers: { dpop: await proofOf(key, 'POST', url) } });
    // by either name of the service, and by no other
    expectOAuthError(await at(TOKEN), 400, 'invalid_grant');
    expectOAuthError(await at(`https://mtls.id.test${TOKEN}`), 400, 'invalid_grant');
    expectOAuthError(await at(`https://evil.test${TOKEN}`), 400, 'invalid_dpop_proof');
  });
});

describe('an API that asks about tokens', () => {
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
  const apps = (): string => `projects/${world.projectId}/apps`;

  /** One that was made over the management API. */
  async function anApi(config: Record<string, unknown>): Promise<{ appId: string; clientId: string }> {
    const response = await owner.call('POST', `${apps()}/api`, config);
    if (response.statusCode !== 200) throw new Error(response.body);
    expect(response.json()).not.toHaveProperty('clientSecret');
    return response.json();
  }
  const ask = async (clientId: string, token: string, by?: TestCertificate) =>
    await post('/oauth/v2/introspect', { token, client_id: clientId }, { by });

  it('does so with its certificate alone (S288)', async () => {
    const { access_token: token } = await tokensOf(await anApplication(world, BY_CA), certificate);
    const method = { authMethodType: 'API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH', tlsClientAuthSubjectDn: DN };
    const { appId, clientId } = await anApi({ name: 'Orders', ...method });
    expect((await ask(clientId, token, certificate)).json()).toMatchObject({ active: true });
    for (const by of [undefined, other, selfSigned, expired]) {
      expectOAuthError(await ask(clientId, token, by), 401, 'invalid_client');
    }
    const read = (await owner.call('GET', `${apps()}/${appId}`)).json<{ app: { apiConfig: unknown } }>();
    expect(read.app.apiConfig).toEqual({ clientId, ...method });
  });

  it('does so with a key that is on file', async () => {
    const { access_token: token } = await tokensOf(await anApplication(world, BY_CA), certificate);
    const authMethodType = 'API_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH';
    const { appId, clientId } = await anApi({ name: 'Stock', authMethodType });
    expectOAuthError(await ask(clientId, token, selfSigned), 401, 'invalid_client');
    const publicKey = Buffer.from(
      new X509Certificate(selfSigned.pem).publicKey.export({ type: 'spki', format: 'pem' }),
    ).toString('base64');
    const added = await owner.call('POST', `${apps()}/${appId}/keys`, {
      type: 'KEY_TYPE_JSON',
      expirationDate: '9999-12-31T23:59:59.000Z',
      publicKey,
    });
    expect(added.statusCode).toBe(200);
    expect((await ask(clientId, token, selfSigned)).json()).toMatchObject({ active: true });
    expectOAuthError(await ask(clientId, token, other), 401, 'invalid_client');
  });

  it('names its certificate by one name, and by one at least', async () => {
    const authMethodType = 'API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH';
    for (const names of [{}, { tlsClientAuthSubjectDn: DN, tlsClientAuthSanDns: 'api.test' }]) {
      const response = await owner.call('POST', `${apps()}/api`, { name: 'Wrong', authMethodType, ...names });
      expect(response.statusCode).toBe(400);
      expect(response.json<{ message: string }>().message).toContain('tlsClientAuth');
    }
  });
});

describe('discovery', () => {
  it('tells of it where it is served', async () => {
    const document = (await api.app.inject('/.well-known/openid-configuration')).json<
      Record<string, unknown>
    >();
    expect(document).toMatchObject({
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: 'https://mtls.id.test/oauth/v2/token',
        userinfo_endpoint: 'https://mtls.id.test/oidc/v1/userinfo',
      },
    });
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      expect(document[`${endpoint}_endpoint_auth_methods_supported`]).toEqual(
        expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
      );
    }
  });
});

describe('an application at the management API', () => {
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
  const body = {
    name: 'By certificate',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
    redirectUris: [REDIRECT_URI],
  };
  const apps = (): string => `projects/${world.projectId}/apps`;

  it('keeps what its certificate says', async () => {
    const config = { ...body, ...BOUND, tlsClientAuthSubjectDn: DN };
    const { appId } = (await owner.call('POST', `${apps()}/oidc`, config)).json<{ appId: string }>();
    const read = (await owner.call('GET', `${apps()}/${appId}`)).json<{ app: { oidcConfig: unknown } }>();
    expect(read.app.oidcConfig).toMatchObject({
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
      ...BOUND,
      tlsClientAuthSubjectDn: DN,
    });
  });

  it.each([
    [{}, 'tlsClientAuthSubjectDn or tlsClientAuthSanDns'],
    [
      { tlsClientAuthSubjectDn: DN, tlsClientAuthSanDns: 'a.example' },
      'tlsClientAuthSanDns must not stand beside',
    ],
    [{ tlsClientAuthSubjectDn: 'client' }, 'tlsClientAuthSubjectDn must be a distinguished name'],
    [{ tlsClientAuthSanIp: 'client' }, 'tlsClientAuthSanIp must be an IP address'],
    [
      { tlsClientAuthSubjectDn: DN, ...BOUND, dpopBoundAccessTokens: true },
      'tlsClientCertificateBoundAccessTokens must not stand beside dpopBoundAccessTokens',
    ],
  ])('is refused with %j', async (changes, message) => {
    const response = await owner.call('POST', `${apps()}/oidc`, { ...body, ...changes });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });
});

describe('a proxy that ends TLS', () => {
  let proxy: Server | undefined;
  let server: TestCertificate;
  let listening: number;
  beforeAll(async () => {
    server = await aCertificate({
      subject: 'CN=localhost',
      issuer: authority,
      names: [{ type: 'dns', value: 'localhost' }],
    });
    const fastify = api.app.getHttpAdapter().getInstance() as { server: { address(): AddressInfo } };
    await api.app.listen(0, '127.0.0.1');
    const { port } = fastify.server.address();
    // whatever the client sends of the two headers does not get through
    proxy = createServer(
      { cert: server.pem, key: server.privatePem, requestCert: true, rejectUnauthorized: false },
      (incoming, outgoing) => {
        const { 'client-cert': _cert, 'x-forwarded-for': _for, ...headers } = incoming.headers;
        const peer = (incoming.socket as TLSSocket).getPeerX509Certificate();
        const forwarded = httpRequest({
          port,
          host: '127.0.0.1',
          method: incoming.method,
          path: incoming.url,
          headers: {
            ...headers,
            host: 'mtls.id.test',
            'x-forwarded-for': incoming.socket.remoteAddress,
            ...(peer && { 'client-cert': `:${peer.raw.toString('base64')}:` }),
          },
        });
        forwarded.on('response', (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        });
        incoming.pipe(forwarded);
      },
    );
    const begun = proxy;
    await new Promise<void>((resolve) => begun.listen(0, 'localhost', resolve));
    listening = (begun.address() as AddressInfo).port;
  });
  afterAll(() => proxy?.close());

  async function send(
    path: string,
    by: TestCertificate | undefined,
    { form, headers = {} }: { form?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const body = form && new URLSearchParams(form).toString();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpsRequest({
        host: 'localhost',
        port: listening,
        path,
        method: body === undefined ? 'GET' : 'POST',
        ca: authority.pem,
        agent: false,
        ...(by && { cert: by.pem, key: by.privatePem }),
        headers: {
          ...headers,
          ...(body !== undefined && {
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': Buffer.byteLength(body),
          }),
        },
      });
      request.on('response', resolve).on('error', reject).end(body);
    });
    const chunks = await answer.toArray();
    return { status: answer.statusCode, body: Buffer.concat(chunks as Buffer[]).toString() };
  }

  it('hands on the certificate of the handshake, and no header of the client (S287)', async () => {
    const form = { ...redemption(await aCode(bank)), client_id: bank.clientId };
    const spoofed = { 'client-cert': certificate.header, 'x-forwarded-for': '127.0.0.1' };
    expect((await send(TOKEN, undefined, { form, headers: spoofed })).status).toBe(401);
    expect((await send(TOKEN, other, { form, headers: spoofed })).status).toBe(401);
    const answer = await send(TOKEN, certificate, { form });
    expect(answer.status).toBe(200);
    const { access_token: token } = JSON.parse(answer.body) as TokenAnswer;
    const authorization = { authorization: `Bearer ${token}` };
    expect((await send(USERINFO, certificate, { headers: authorization })).status).toBe(200);
    expect((await send(USERINFO, undefined, { headers: { ...authorization, ...spoofed } })).status).toBe(401);
    expect((await send(USERINFO, other, { headers: authorization })).status).toBe(401);
  });
});
