import { decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import { RotateKeys } from '../../../src/domain/signing-keys/rotate-keys.js';
import { anApi, useReplica } from '../../support/api.js';
import { REDIRECT_URI } from '../../support/applications.js';
import { asserted, ASSERTION_TYPE, makeSigner, signAssertion } from '../../support/assertions.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  requestToken,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// Applications that register themselves with a token of their organization (RFC 7591; security S280, S283).

const { api, world } = useWorld({ CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' });
const initial = given(() => anInitialToken(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const user = given(() => aUser(world));

interface Shown {
  readonly id: string;
  readonly oidcConfig: Readonly<Record<string, unknown>>;
}

async function register(body: unknown, by: string | undefined = initial.token) {
  return await registering(api, 'POST', REGISTER, by, body);
}

describe('what is registered', () => {
  it('answers all of it, with a secret and the token of the client (RFC 7591 §3.2.1)', async () => {
    const response = await register(
      metadata({ unknown_metadata: 'is ignored', logo_uri: 'https://rp.test/l' }),
    );
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const answer = response.json<{ client_id: string }>();
    expect(answer).toEqual({
      client_id: expect.stringMatching(/^[\w-]{1,40}$/) as string,
      client_id_issued_at: expect.any(Number) as number,
      client_secret: expect.stringMatching(/^[A-Za-z0-9]{64}$/) as string,
      client_secret_expires_at: 0,
      registration_access_token: expect.stringMatching(/^reg_[\w-]{43}$/) as string,
      registration_client_uri: `https://id.test${REGISTER}/${answer.client_id}`,
      client_name: 'Editor',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      application_type: 'web',
      scope: 'openid profile email address phone offline_access',
      subject_type: 'public',
      id_token_signed_response_alg: 'RS256',
      authorization_signed_response_alg: 'RS256',
      logo_uri: 'https://rp.test/l',
    });
  });

  it('signs its users in, whom nobody asks: the organization vouches for it', async () => {
    const { client_id: clientId, client_secret: clientSecret } = await aRegistered(api, initial.token, {
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const tokens = await obtainTokens(api, { id: '', clientId, clientSecret }, user);
    expect(tokens).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) as string });
  });

  it('takes the only key without a name, as what it signs has none (OpenID Connect Core §10.1)', async () => {
    const only = makeSigner('ES256');
    const { client_id: clientId, jwks } = await aRegistered(api, initial.token, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [only.publicJwk] },
    });
    expect(jwks).toEqual({ keys: [only.publicJwk] });
    const asks = async (keyId: string, signer = only) => {
      const form = { token: 'x', ...(await asserted({ clientId, keyId, signer })) };
      return (await postForm(api, '/oauth/v2/introspect', form)).statusCode;
    };
    expect(await asks('')).toBe(200);
    expect(await asks('other')).toBe(401);
    expect(await asks('', makeSigner('ES256'))).toBe(401);
  });

  it('keeps neither the secret nor a token in clear', async () => {
    const registered = await aRegistered(api, initial.token);
    const { rows } = await api.sql.query<{ text: string }>(
      `SELECT r::text || a::text AS text FROM client_registrations r JOIN applications a ON a.id = r.application_id
       UNION ALL SELECT t::text FROM initial_access_tokens t`,
    );
    for (const secret of [registered.client_secret, registered.registration_access_token, initial.token]) {
      for (const { text } of rows) expect(text).not.toContain(secret.slice(5));
    }
  });

  it('is told to the audit log, by which token', async () => {
    const { client_id: clientId } = await aRegistered(api, initial.token);
    const { rows } = await api.sql.query(
      `SELECT e.type, e.actor_id, e.data FROM events e JOIN applications a ON a.id = e.aggregate_id
       WHERE a.client_id = $1 ORDER BY e.position`,
      [clientId],
    );
    expect(rows).toMatchObject([
      { type: 'application.oidc.added', actor_id: null },
      {
        type: 'application.registered',
        data: { by: 'initial_access_token', initialAccessTokenId: expect.any(String) as string },
      },
    ]);
  });

  it('shows in the management API that it registered itself, and lets ten have one name', async () => {
    await aRegistered(api, initial.token, { client_name: 'Twins' });
    await aRegistered(api, initial.token, { client_name: 'Twins' });
    const list = await owner.call('POST', `projects/${world.projectId}/apps/_search`, {
      queries: [{ nameQuery: { name: 'Twins' } }],
    });
    const apps = list.json<{ result: { oidcConfig: object }[] }>().result;
    expect(apps).toHaveLength(2);
    expect(apps[0]?.oidcConfig).toMatchObject({ registration: 'initial_access_token' });
  });

  it('says when it goes if nobody uses it, and nothing where it stays', async () => {
    const { client_id: clientId } = await aRegistered(api, initial.token, { client_name: 'Passer-by' });
    const { rows } = await api.sql.query<{ id: string; expiresAt: Date }>(
      `SELECT a.id, r.expires_at AS "expiresAt" FROM applications a JOIN client_registrations r ON r.application_id = a.id
       WHERE a.client_id = $1`,
      [clientId],
    );
    const { id = '', expiresAt } = rows[0] ?? {};
    const apps = `projects/${world.projectId}/apps`;
    type App = { oidcConfig: { registrationExpirationDate?: string } };
    const read = async () => (await owner.call('GET', `${apps}/${id}`)).json<{ app: App }>().app.oidcConfig;
    const list = await owner.call('POST', `${apps}/_search`, {
      queries: [{ nameQuery: { name: 'Passer-by' } }],
    });
    const found = list.json<{ result: App[] }>().result;
    expect(found.map(({ oidcConfig }) => oidcConfig.registrationExpirationDate)).toEqual([
      expiresAt?.toISOString(),
    ]);
    expect(await read()).toMatchObject({ registrationExpirationDate: expiresAt?.toISOString() });
    expect((await owner.call('POST', `${apps}/${id}/_deactivate`, {})).statusCode).toBe(200);
    expect(await read()).not.toHaveProperty('registrationExpirationDate');
  });

  it('is left out of exports: it would come back as if somebody had made it', async () => {
    const { client_id: clientId } = await aRegistered(api, initial.token);
    const root = await aServiceUser(world, 'IAM_OWNER');
    const wanted = { org_ids: [world.orgId], response_output: true };
    const exported = await root.call('POST', '/admin/v1/export', wanted);
    expect(exported.statusCode).toBe(200);
    expect(exported.body).toContain(world.projectId);
    expect(exported.body).not.toContain(clientId);
  });

  it('reads what kind of application it is from where its answers go', async () => {
    const at = async (changes: object) =>
      (await aRegistered(api, initial.token, { token_endpoint_auth_method: 'none', ...changes })) as object;
    expect(await at({ redirect_uris: ['http://127.0.0.1:3000/cb'] })).toMatchObject({
      application_type: 'native',
    });
    expect(await at({ redirect_uris: ['com.example.app:/cb'], client_name: null })).toMatchObject({
      application_type: 'native',
      client_name: 'com.example.app',
    });
    const spa = await at({});
    expect(spa).toMatchObject({ application_type: 'web', token_endpoint_auth_method: 'none' });
    expect(spa).not.toHaveProperty('client_secret');
    expect(spa).not.toHaveProperty('client_secret_expires_at');
  });

  it('may write the words of a response type in any order', async () => {
    const registered = await aRegistered(api, initial.token, {
      response_types: ['code', 'token id_token'],
      grant_types: ['authorization_code', 'implicit'],
    });
    expect(registered['response_types']).toEqual(['code', 'id_token token']);
  });

  it('is told the algorithms that it named, also where they are those of the instance', async () => {
    const named = {
      id_token_signed_response_alg: 'RS256',
      authorization_signed_response_alg: 'RS256',
      userinfo_signed_response_alg: 'RS256',
    };
    expect(await aRegistered(api, initial.token, named)).toMatchObject(named);
  });

  it('takes keys that the client names, for private_key_jwt', async () => {
    const signer = makeSigner('ES256');
    const jwks = { keys: [{ ...signer.publicJwk, kid: 'mine', use: 'sig' }] };
    const registered = await aRegistered(api, initial.token, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(registered['jwks']).toEqual({ keys: [{ ...signer.publicJwk, kid: 'mine' }] });
    expect(registered).not.toHaveProperty('client_secret');
    const client = { id: '', clientId: registered.client_id, clientSecret: '' };
    const browser = await aSignedInBrowser(api, client, user);
    const code = redirected(await browser.get(authorizeUrl(codeRequest(client))));
    const assertion = await signAssertion(
      { clientId: client.clientId, keyId: 'mine', signer },
      'https://id.test',
    );
    const response = await requestToken(api, {
      ...redemption(code.get('code') ?? ''),
      client_assertion: assertion,
      client_assertion_type: ASSERTION_TYPE,
    });
    expect(response.json()).toMatchObject({ token_type: 'Bearer' });
  });
});

describe('metadata that is refused', () => {
  const signer = makeSigner('ES256');

  it.each<[string, unknown, string, string]>([
    [
      'no redirect URI',
      metadata({ redirect_uris: [] }),
      'invalid_redirect_uri',
      'redirect_uris must not be empty',
    ],
    ['none at all', { client_name: 'X' }, 'invalid_redirect_uri', 'redirect_uris must not be empty'],
    [
      'a script',
      metadata({ redirect_uris: ['javascript:alert(1)//https://rp.test/cb'] }),
      'invalid_redirect_uri',
      'redirect_uris[0] has a scheme that is never allowed',
    ],
    [
      'data',
      metadata({ redirect_uris: [REDIRECT_URI, 'data:text/html,x'] }),
      'invalid_redirect_uri',
      'redirect_uris[1] has a scheme',
    ],
    ['a wildcard', metadata({ redirect_uris: ['https://*.rp.test/cb'] }), 'invalid_redirect_uri', 'wildcard'],
    ['a fragment', metadata({ redirect_uris: ['https://rp.test/cb#x'] }), 'invalid_redirect_uri', 'fragment'],
    [
      'credentials',
      metadata({ redirect_uris: ['https://rp.test@evil.test/cb'] }),
      'invalid_redirect_uri',
      'credentials',
    ],
    ['http on the web', metadata({ redirect_uris: ['http://rp.test/cb'] }), 'invalid_redirect_uri', 'https'],
    [
      'http off loopback of a native one',
      metadata({ application_type: 'native', redirect_uris: ['http://rp.test/cb'] }),
      'invalid_redirect_uri',
      'https',
    ],
    [
      'a scheme without a dot',
      metadata({ application_type: 'native', redirect_uris: ['myapp:/cb'] }),
      'invalid_redirect_uri',
      'dot',
    ],
    [
      'line breaks',
      metadata({ redirect_uris: ['https://rp.test/cb\r\nx: y'] }),
      'invalid_redirect_uri',
      'characters',
    ],
    [
      'too many',
      metadata({ redirect_uris: Array.from({ length: 21 }, (_, i) => `${REDIRECT_URI}/${i}`) }),
      'invalid_redirect_uri',
      '20',
    ],
    [
      'URIs that are no list',
      metadata({ redirect_uris: REDIRECT_URI }),
      'invalid_redirect_uri',
      'redirect_uris',
    ],
    [
      'a logout URI on http',
      metadata({ post_logout_redirect_uris: ['http://rp.test/'] }),
      'invalid_client_metadata',
      'post_logout_redirect_uris[0]',
    ],
    [
      'a back-channel URI on http',
      metadata({ backchannel_logout_uri: 'http://10.0.0.1/' }),
      'invalid_client_metadata',
      'backchannel_logout_uri',
    ],
    ...[
      ['on http', 'http://rp.test/begin', 'initiate_login_uri must use https'],
      ['on http of loopback', 'http://localhost/begin', 'initiate_login_uri must use https'],
      ['with a fragment', 'https://rp.test/begin#x', 'initiate_login_uri must not have a fragment'],
      ['without a host', '/begin', 'initiate_login_uri is not an absolute URI'],
      ['of a scheme of its own', 'com.example.app:/begin', 'initiate_login_uri must use https'],
      ['that is a script', 'javascript:alert(1)', 'initiate_login_uri has a scheme'],
      ['that is long', `https://rp.test/${'x'.repeat(2048)}`, 'initiate_login_uri is longer'],
    ].map(([what, uri, said]): [string, unknown, string, string] => [
      `an address ${what} that begins a sign-in`,
      metadata({ application_type: 'native', initiate_login_uri: uri }),
      'invalid_client_metadata',
      said ?? '',
    ]),
    [
      'one that is no text',
      metadata({ initiate_login_uri: ['https://rp.test/begin'] }),
      'invalid_client_metadata',
      'initiate_login_uri',
    ],
    [
      'a name that turns text around',
      metadata({ client_name: 'ab\u202Ecd' }),
      'invalid_client_metadata',
      'client_name must not contain U+202E',
    ],
    ['a name of two lines', metadata({ client_name: 'a\nb' }), 'invalid_client_metadata', 'client_name'],
    ['a long name', metadata({ client_name: 'x'.repeat(201) }), 'invalid_client_metadata', '200'],
    [
      'a name that is no text',
      metadata({ client_name: { en: 'X' } }),
      'invalid_client_metadata',
      'client_name',
    ],
    [
      'a logo that is a script',
      metadata({ logo_uri: 'javascript:alert(1)' }),
      'invalid_client_metadata',
      'logo_uri must be an https address',
    ],
    [
      'a logo in itself',
      metadata({ logo_uri: 'data:image/svg+xml,<svg onload=alert(1)>' }),
      'invalid_client_metadata',
      'logo_uri',
    ],
    [
      'an address with markup',
      metadata({ client_uri: 'https://rp.test/"><script>' }),
      'invalid_client_metadata',
      'client_uri',
    ],
    [
      'a method that is unknown',
      metadata({ token_endpoint_auth_method: 'client_secret_jwt' }),
      'invalid_client_metadata',
      'token_endpoint_auth_method',
    ],
    [
      'a grant that is not given',
      metadata({ grant_types: ['client_credentials'] }),
      'invalid_client_metadata',
      'grant_types may have',
    ],
    [
      'a response type without its grant',
      metadata({ response_types: ['id_token'] }),
      'invalid_client_metadata',
      'id_token needs implicit',
    ],
    ['pairwise subjects', metadata({ subject_type: 'pairwise' }), 'invalid_client_metadata', 'subject_type'],
    [
      'another algorithm',
      metadata({ id_token_signed_response_alg: 'none' }),
      'invalid_client_metadata',
      'id_token_signed_response_alg',
    ],
    [
      'another algorithm of authorization responses',
      metadata({ authorization_signed_response_alg: 'none' }),
      'invalid_client_metadata',
      'authorization_signed_response_alg',
    ],
    [
      'a scope without openid',
      metadata({ scope: 'email' }),
      'invalid_client_metadata',
      'scope must include openid',
    ],
    [
      'keys at an address that is not https',
      metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://rp.test/keys' }),
      'invalid_client_metadata',
      'jwks_uri must use https',
    ],
    [
      'keys by value and at an address',
      metadata({
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...signer.publicJwk, kid: 'k' }] },
        jwks_uri: 'https://rp.test/keys',
      }),
      'invalid_client_metadata',
      'jwks and jwks_uri exclude each other',
    ],
    [
      'no keys',
      metadata({ token_endpoint_auth_method: 'private_key_jwt' }),
      'invalid_client_metadata',
      'needs jwks or jwks_uri',
    ],
    [
      'a private key',
      metadata({
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...signer.privateKey.export({ format: 'jwk' }), kid: 'k' }] },
      }),
      'invalid_client_metadata',
      'jwks.keys[0] must not hold a private',
    ],
    [
      'one key of several without a name',
      metadata({
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...signer.publicJwk, kid: 'k' }, makeSigner('ES256').publicJwk] },
      }),
      'invalid_client_metadata',
      'jwks.keys[1] must have a kid',
    ],
    [
      'a name that is none',
      metadata({
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...signer.publicJwk, kid: '' }] },
      }),
      'invalid_client_metadata',
      'kid that is no id',
    ],
    [
      'a software statement',
      metadata({ software_statement: 'x.y.z' }),
      'invalid_software_statement',
      'not supported',
    ],
    ['what is no object', ['x'], 'invalid_client_metadata', 'JSON object'],
    ['what is no JSON', '{"client_name":', 'invalid_client_metadata', 'JSON'],
    ['a member twice', '{"client_name":"a","client_name":"b"}', 'invalid_client_metadata', 'twice'],
  ])('says what is wrong with %s', async (_name, body, error, text) => {
    expect(expectOAuthError(await register(body), 400, error)).toContain(text);
  });

  it('leaves nothing behind, and takes no use of the token', async () => {
    const { token: once } = await anInitialToken(world, { mostUses: 1 });
    expectOAuthError(await register(metadata({ redirect_uris: [] }), once), 400, 'invalid_redirect_uri');
    expect((await register(metadata(), once)).statusCode).toBe(201);
  });
});

describe('an instance that signs with ES256', () => {
  const other = useWorld({
    CLIENT_REGISTRATION: 'token',
    RATE_LIMIT_REGISTRATION: '0',
    SIGNING_ALG: 'ES256',
  });
  const token = given(async () => ({ initial: (await anInitialToken(other.world)).token }));
  const person = given(() => aUser(other.world));

  it.each([
    ['RS256 where it says nothing (OpenID Connect Registration §2)', undefined, 'RS256'],
    ['RS256 where it says so', 'RS256', 'RS256'],
    ['ES256 where it says so', 'ES256', 'ES256'],
  ])('tells a client that its ID tokens have %s, and they have', async (_name, asked, algorithm) => {
    const registered = await aRegistered(other.api, token.initial, {
      id_token_signed_response_alg: asked,
      authorization_signed_response_alg: asked,
    });
    expect(registered).toMatchObject({
      id_token_signed_response_alg: algorithm,
      authorization_signed_response_alg: algorithm,
    });
    const { client_id: clientId, client_secret: clientSecret } = registered;
    const { id_token: idToken } = await obtainTokens(other.api, { id: '', clientId, clientSecret }, person);
    expect(decodeProtectedHeader(idToken)).toMatchObject({ alg: algorithm });
  });

  it.each(['RS256', 'ES256'])(
    'signs what userinfo says with %s for whoever asks for it',
    async (algorithm) => {
      const registered = await aRegistered(other.api, token.initial, {
        userinfo_signed_response_alg: algorithm,
      });
      expect(registered).toMatchObject({ userinfo_signed_response_alg: algorithm });
      const { client_id: clientId, client_secret: clientSecret } = registered;
      const tokens = await obtainTokens(other.api, { id: '', clientId, clientSecret }, person);
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const { body } = await other.api.app.inject({ url: '/oidc/v1/userinfo', headers });
      expect(decodeProtectedHeader(body)).toMatchObject({ alg: algorithm });
    },
  );

  it('is told of its algorithm for userinfo by the management API, and takes it back', async () => {
    const manager = await aServiceUser(other.world, 'ORG_OWNER');
    const { client_id: clientId } = await aRegistered(other.api, token.initial, {
      userinfo_signed_response_alg: 'ES256',
    });
    const apps = `projects/${other.world.projectId}/apps`;
    const { result } = (await manager.call('POST', `${apps}/_search`, {})).json<{
      result: readonly Shown[];
    }>();
    const app = result.find(({ oidcConfig }) => oidcConfig.clientId === clientId);
    expect(app?.oidcConfig).toMatchObject({ userinfoSignedResponseAlg: 'ES256' });
    const { redirectUris, grantTypes, userinfoSignedResponseAlg } = app?.oidcConfig ?? {};
    const asShown = { redirectUris, grantTypes, userinfoSignedResponseAlg };
    const path = `${apps}/${app?.id}`;
    expect((await manager.call('PUT', `${path}/oidc_config`, asShown)).statusCode).toBe(200);
    expect((await manager.call('GET', path)).json()).toMatchObject({ app: { oidcConfig: asShown } });
  });

  it('takes no algorithm for userinfo that it has no key of', async () => {
    const manager = await aServiceUser(other.world, 'ORG_OWNER');
    const body = { name: 'Signed', redirectUris: [REDIRECT_URI] };
    const path = `projects/${other.world.projectId}/apps/oidc`;
    for (const wrong of ['PS256', 'EdDSA']) {
      const response = await manager.call('POST', path, { ...body, userinfoSignedResponseAlg: wrong });
      expect(response.statusCode).toBe(400);
      expect(response.body).toContain('userinfoSignedResponseAlg must be ES256 or RS256');
    }
    expect(
      (await manager.call('POST', path, { ...body, userinfoSignedResponseAlg: 'ES256' })).statusCode,
    ).toBe(200);
  });
});

describe('an instance that signed with ES256 and signs with PS256 now', () => {
  const settings = { CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' };
  const before = useWorld({ ...settings, SIGNING_ALG: 'ES256' });
  const now = useReplica(before.api, { ...settings, SIGNING_ALG: 'PS256' });
  const manager = given(() => aServiceUser(before.world, 'ORG_OWNER'));
  const token = given(async () => ({ initial: (await anInitialToken(before.world)).token }));
  beforeAll(async () => {
    // in place of the lead for which a key is published before it signs
    const { app } = now;
    await app.get(UnitOfWork).run((tx) => app.get(RotateKeys).replaceAtOnce(tx, 'PS256', manager.userId));
    app.get(KeyRing).forget();
  });

  const call = async (method: 'GET' | 'PUT' | 'POST', path: string, payload?: object) =>
    await now.app.inject({
      method,
      url: `/management/v1/projects/${before.world.projectId}/apps${path}`,
      headers: { authorization: `Bearer ${manager.pat}` },
      ...(payload && { payload }),
    });
  const appOf = async (clientId: string): Promise<Shown | undefined> =>
    (await call('POST', '/_search', {}))
      .json<{ result: readonly Shown[] }>()
      .result.find(({ oidcConfig }) => oidcConfig.clientId === clientId);

  it.each([
    ['ES256', 'PS256'],
    ['RS256', 'RS256'],
  ])('tells a client of %s of %s, by which userinfo is signed, everywhere', async (asked, used) => {
    const registered = await aRegistered(before.api, token.initial, { userinfo_signed_response_alg: asked });
    const { client_id: clientId, client_secret: clientSecret } = registered;
    const read = await registering(
      now,
      'GET',
      `${REGISTER}/${clientId}`,
      registered.registration_access_token,
    );
    expect(read.json()).toMatchObject({ userinfo_signed_response_alg: used });

    const app = await appOf(clientId);
    expect(app?.oidcConfig).toMatchObject({ userinfoSignedResponseAlg: used });
    const path = `/${app?.id}`;
    const found = await call('GET', path);
    expect(found.json()).toMatchObject({ app: { oidcConfig: { userinfoSignedResponseAlg: used } } });

    const person = await aUser(before.world);
    const tokens = await obtainTokens(now, { id: '', clientId, clientSecret }, person);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const { body } = await now.app.inject({ url: '/oidc/v1/userinfo', headers });
    expect(decodeProtectedHeader(body)).toMatchObject({ alg: used });

    // what was stored is taken back, and so is what is shown
    const { redirectUris, grantTypes } = app?.oidcConfig ?? {};
    for (const userinfoSignedResponseAlg of [asked, used]) {
      const config = { redirectUris, grantTypes, userinfoSignedResponseAlg };
      const replaced = await call('PUT', `${path}/oidc_config`, config);
      expect(replaced.statusCode, replaced.body).toBe(200);
      expect((await appOf(clientId))?.oidcConfig).toMatchObject({ userinfoSignedResponseAlg: used });
    }
  });
});

describe('initial access tokens', () => {
  it('are needed, and those of nobody are refused before anything is said of the metadata', async () => {
    for (const wrong of [undefined, 'iat_wrong', initial.token.slice(0, -1)]) {
      const response = await registering(api, 'POST', REGISTER, wrong, { redirect_uris: 'x' });
      expectOAuthError(response, 401, 'invalid_token');
    }
  });

  it('are good for so many: of eight at once with the last use one has it', async () => {
    const { token: once } = await anInitialToken(world, { mostUses: 1 });
    const all = await Promise.all(Array.from({ length: 8 }, () => register(metadata(), once)));
    expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array<number>(7).fill(401)]);
    expectOAuthError(await register(metadata(), once), 401, 'invalid_token');
  });

  it('end, and rest with their project', async () => {
    const other = await anOrganization(api);
    const { token: brief } = await anInitialToken(other, { expiresAt: new Date(Date.now() + 600_000) });
    expect((await register(metadata(), brief)).statusCode).toBe(201);
    const { token: long } = await anInitialToken(other);
    await api.sql.query(`UPDATE projects SET state = 'inactive' WHERE id = $1`, [other.projectId]);
    expectOAuthError(await register(metadata(), long), 401, 'invalid_token');
    await api.sql.query(`UPDATE projects SET state = 'active' WHERE id = $1`, [other.projectId]);
    await api.advance(700);
    expectOAuthError(await register(metadata(), brief), 401, 'invalid_token');
    expect((await register(metadata(), long)).statusCode).toBe(201);
  });

  it('put what registers into their own project, whatever it says', async () => {
    const other = await anOrganization(api);
    const { token: theirs } = await anInitialToken(other);
    const { client_id: clientId } = await aRegistered(api, theirs, {
      organization_id: world.orgId,
      project_id: world.projectId,
      managementAccess: 'instance',
    });
    const { rows } = await api.sql.query(
      `SELECT org_id, project_id, management_access, dev_mode FROM applications WHERE client_id = $1`,
      [clientId],
    );
    expect(rows).toEqual([
      { org_id: other.orgId, project_id: other.projectId, management_access: 'none', dev_mode: false },
    ]);
  });

  it('open nothing else', async () => {
    for (const url of ['/management/v1/orgs/me', '/oidc/v1/userinfo', `/scim/v2/${world.orgId}/Users`]) {
      expect((await registering(api, 'GET', url, initial.token)).statusCode).toBe(401);
    }
  });

  it('are made, listed, found and removed by who manages applications', async () => {
    const body = { name: 'Previews', projectId: world.projectId, mostUses: 2 };
    const added = (await owner.call('POST', 'orgs/me/initial_access_tokens', body)).json<{
      tokenId: string;
      token: string;
    }>();
    expect(added.token).toMatch(/^iat_[\w-]{43}$/);
    expect((await register(metadata(), added.token)).statusCode).toBe(201);
    const read = await owner.call('GET', `orgs/me/initial_access_tokens/${added.tokenId}`);
    expect(read.json()).toMatchObject({
      initialAccessToken: { ...body, uses: 1, expirationDate: '9999-12-31T23:59:59.000Z' },
    });
    const list = await owner.call('GET', 'orgs/me/initial_access_tokens');
    expect(list.body).toContain(added.tokenId);
    expect(list.body).not.toContain(added.token);
    const foreign = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect((await foreign.call('GET', `orgs/me/initial_access_tokens/${added.tokenId}`)).statusCode).toBe(
      404,
    );
    expect((await foreign.call('DELETE', `orgs/me/initial_access_tokens/${added.tokenId}`)).statusCode).toBe(
      404,
    );
    expect((await foreign.call('POST', 'orgs/me/initial_access_tokens', body)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `orgs/me/initial_access_tokens/${added.tokenId}`)).statusCode).toBe(
      200,
    );
    expectOAuthError(await register(metadata(), added.token), 401, 'invalid_token');
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    expect((await manager.call('POST', 'orgs/me/initial_access_tokens', body)).statusCode).toBe(403);
  });
});

describe('an instance where nobody may register', () => {
  it('has no such address, and says nothing in discovery', async () => {
    const closed = await anApi();
    const discovery = await closed.app.inject({ url: '/.well-known/openid-configuration' });
    expect(discovery.json()).not.toHaveProperty('registration_endpoint');
    expect((await registering(closed, 'POST', REGISTER, undefined, metadata())).statusCode).toBe(404);
    expect((await registering(closed, 'GET', `${REGISTER}/x`, 'reg_x')).statusCode).toBe(404);
  });

  it('is told apart in discovery from one where they may', async () => {
    const discovery = await api.app.inject({ url: '/.well-known/openid-configuration' });
    expect(discovery.json()).toMatchObject({ registration_endpoint: `https://id.test${REGISTER}` });
  });
});
