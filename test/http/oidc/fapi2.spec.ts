import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI, type TestClient } from '../../support/applications.js';
import {
  addKey,
  anAssertingApplication,
  asserted,
  makeSigner,
  type AssertingClient,
  type AssertionChanges,
} from '../../support/assertions.js';
import {
  authorizeUrl,
  codeRequest,
  redemption,
  redirected,
  refreshRequest,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy, proofOf, type ProofKey } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from './support/answers.js';
import { PKCE, postAsserted, VERIFIER } from './support/fapi2.js';

// FAPI 2.0 Security Profile, final: the section behind each name is where the demand stands.

const { api, world } = useWorld({ CODE_LIFETIME: '5m', REQUEST_OBJECTS: 'signed' });
const PROFILE = { securityProfile: 'fapi2' } as const;
const client = given(() => anAssertingApplication(world, makeSigner('ES256'), PROFILE));
const user = given(() => aUser(world));
const key = given(() => aProofKey());
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const SCOPE = 'openid offline_access';

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
}

interface SendOptions {
  readonly as?: AssertingClient;
  readonly changes?: AssertionChanges;
  readonly proof?: boolean;
  readonly by?: ProofKey;
}

async function send(
  path: string,
  parameters: Record<string, string>,
  { as = client, changes, proof = true, by = key }: SendOptions = {},
): Promise<LightMyRequestResponse> {
  return await postAsserted(api, path, parameters, as, proof ? by : undefined, changes);
}

async function push(
  parameters: Record<string, string> = {},
  options: SendOptions = {},
): Promise<LightMyRequestResponse> {
  const request = codeRequest(options.as ?? client, { scope: SCOPE, ...PKCE, ...parameters });
  return await send('/oauth/v2/par', request, options);
}

async function answered(pushed: LightMyRequestResponse, as: TestClient = client): Promise<URLSearchParams> {
  const { request_uri } = pushed.json<{ request_uri: string }>();
  return redirected(await new TestBrowser(api).signIn({ client_id: as.clientId, request_uri }, user));
}

async function redeem(
  answer: URLSearchParams,
  options: SendOptions = {},
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const form = redemption(answer.get('code') ?? '', { code_verifier: VERIFIER, ...changes });
  return await send('/oauth/v2/token', form, options);
}

async function refresh(token = '', options: SendOptions = {}): Promise<LightMyRequestResponse> {
  return await send('/oauth/v2/token', refreshRequest(token), options);
}

describe('an application under FAPI 2.0', () => {
  it('signs people in with all that the profile demands', async () => {
    const pushed = await push();
    expect(pushed.statusCode).toBe(201);
    expect(pushed.json<{ expires_in: number }>().expires_in).toBeLessThan(600);
    const answer = await answered(pushed);
    expect(answer.get('iss')).toBe('https://id.test');
    const tokens = (await redeem(answer)).json<Tokens>();
    expect(tokens.token_type).toBe('DPoP');
    const headers = await boundBy(key, tokens.access_token, 'GET', '/oidc/v1/userinfo');
    expect((await api.app.inject({ url: '/oidc/v1/userinfo', headers })).statusCode).toBe(200);
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    expect((await api.app.inject({ url: '/oidc/v1/userinfo', headers: bearer })).statusCode).toBe(401);
  });

  it('must push its requests (§5.3.2.2)', async () => {
    expectRedirectedError(await api.app.inject(authorizeUrl(codeRequest(client, PKCE))), 'invalid_request');
  });

  it('must use PKCE by S256 (§5.3.2.2)', async () => {
    expectOAuthError(await send('/oauth/v2/par', codeRequest(client)), 400, 'invalid_request');
    expectOAuthError(await push({ code_challenge_method: 'plain' }), 400, 'invalid_request');
  });

  it('gets codes only, whatever response and grant types are stored (§5.3.2.2)', async () => {
    const wide = await anAssertingApplication(world, makeSigner('ES256'), {
      ...PROFILE,
      responseTypes: ['code', 'id_token'],
      grantTypes: ['authorization_code', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'],
    });
    const implicit = await push({ response_type: 'id_token', nonce: 'n' }, { as: wide });
    expectOAuthError(implicit, 400, 'unauthorized_client');
    const device = await send('/oauth/v2/device_authorization', { scope: 'openid' }, { as: wide });
    expectOAuthError(device, 400, 'unauthorized_client');
    expect((await push({}, { as: wide })).statusCode).toBe(201);
  });

  it('gets no token without a proof of possession (§5.3.2.1)', async () => {
    const answer = await answered(await push());
    expectOAuthError(await redeem(answer, { proof: false }), 400, 'invalid_dpop_proof');
  });

  it('proves possession by PS256, ES256 or EdDSA, never by RS256 (§5.4.1, security S488)', async () => {
    const weak = await aProofKey('RS256');
    // PS256 is signed by the same key
    const strong = { ...weak, alg: 'PS256' };
    expectOAuthError(await push({}, { by: weak }), 400, 'invalid_dpop_proof');
    const pushed = await push({}, { by: strong });
    expect(pushed.statusCode).toBe(201);
    const answer = await answered(pushed);
    expectOAuthError(await redeem(answer, { by: weak }), 400, 'invalid_dpop_proof');
    // that used up nothing
    const redeemed = await redeem(answer, { by: strong });
    const { access_token: token, refresh_token } = redeemed.json<Tokens>();
    expectOAuthError(await refresh(refresh_token, { by: weak }), 400, 'invalid_dpop_proof');
    expect((await refresh(refresh_token, { by: strong })).statusCode).toBe(200);
    const told = async (by: ProofKey) =>
      await api.app.inject({
        url: '/oidc/v1/userinfo',
        headers: await boundBy(by, token, 'GET', '/oidc/v1/userinfo'),
      });
    expectOAuthError(await told(weak), 401, 'invalid_dpop_proof');
    expect((await told(strong)).statusCode).toBe(200);
    // others go on
    const plain = await anAssertingApplication(world, makeSigner('ES256'));
    expect((await push({}, { as: plain, by: weak })).statusCode).toBe(201);
  });

  it('keeps its refresh token (§5.3.2.1)', async () => {
    const { refresh_token } = (await redeem(await answered(await push()))).json<Tokens>();
    expect(refresh_token).toMatch(/^rt_/);
    for (let time = 0; time < 3; time += 1) {
      const again = (await refresh(refresh_token)).json<Tokens>();
      expect(again.token_type).toBe('DPoP');
      expect(again.refresh_token).toBeUndefined();
    }
    expectOAuthError(await refresh(refresh_token, { proof: false }), 400, 'invalid_dpop_proof');
    await send('/oauth/v2/revoke', { token: refresh_token ?? '' });
    expectOAuthError(await refresh(refresh_token), 400, 'invalid_grant');
  });

  it('cannot refresh with the token of another one', async () => {
    const other = await anAssertingApplication(world, makeSigner('ES256'), PROFILE);
    const { refresh_token } = (await redeem(await answered(await push()))).json<Tokens>();
    expectOAuthError(await refresh(refresh_token, { as: other }), 400, 'invalid_grant');
    expect((await refresh(refresh_token)).statusCode).toBe(200);
  });

  it('has codes for a minute, though the instance gives five (§5.3.2.1)', async () => {
    const answer = await answered(await push());
    await api.advance(61);
    const now = Math.floor(Date.now() / 1000) + 61;
    const claims = { iat: now, nbf: now, exp: now + 60 };
    const parameters = {
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      ...(await asserted(client, { claims })),
    };
    const dpop = await proofOf(key, 'POST', '/oauth/v2/token', { claims: { iat: now } });
    const response = await postForm(api, '/oauth/v2/token', parameters, { dpop });
    expectOAuthError(response, 400, 'invalid_grant');
    expect(response.json()).toMatchObject({ error_description: 'code is invalid or expired' });
    await api.advance(-61);
  });

  it.each<[string, unknown]>([
    ['the token endpoint', 'https://id.test/oauth/v2/token'],
    ['the address where requests are pushed', 'https://id.test/oauth/v2/par'],
    ['a list with the issuer', ['https://id.test']],
  ])('may address its assertions to the issuer alone, not %s (§5.3.2.1)', async (_, aud) => {
    const changes = { claims: { aud } };
    expectOAuthError(await push({}, { changes }), 401, 'invalid_client');
    for (const path of ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
      expectOAuthError(await send(path, form, { changes }), 401, 'invalid_client');
    }
  });

  it('signs its assertions by PS256, ES256 or EdDSA (§5.4.1)', async () => {
    for (const [algorithm, status] of [
      ['RS256', 401],
      ['PS256', 201],
      ['EdDSA', 201],
      ['Ed25519', 201],
    ] as const) {
      const signer = makeSigner(algorithm);
      const as = { ...client, signer, keyId: await addKey(api, world, client, signer) };
      expect((await push({}, { as })).statusCode, algorithm).toBe(status);
    }
  });

  it('signs its request objects by the same (§5.4.1)', async () => {
    for (const [algorithm, status] of [
      ['RS256', 400],
      ['PS256', 201],
    ] as const) {
      const signer = makeSigner(algorithm);
      const keyId = await addKey(api, world, client, signer);
      const exp = Math.floor(Date.now() / 1000) + 600;
      const claims = { ...codeRequest(client, PKCE), iss: client.clientId, aud: 'https://id.test', exp };
      const request = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid: keyId })
        .sign(signer.privateKey);
      const pushed = await send('/oauth/v2/par', { client_id: client.clientId, request });
      expect(pushed.statusCode, algorithm).toBe(status);
    }
  });

  it('cannot go back to a secret by any other way (§5.3.2.1)', async () => {
    const moved = await anAssertingApplication(world, makeSigner('ES256'), PROFILE);
    await api.sql.query(
      `UPDATE applications SET auth_method = 'client_secret_post', client_secret_hash = sha256('x') WHERE id = $1`,
      [moved.id],
    );
    const form = { ...codeRequest(moved, PKCE), client_id: moved.clientId, client_secret: 'x' };
    const response = await postForm(api, '/oauth/v2/par', form);
    expectOAuthError(response, 401, 'invalid_client');
  });

  it('has no redirect URI by http, though one is stored (§5.3.2.2)', async () => {
    const native = await anAssertingApplication(world, makeSigner('ES256'), {
      appType: 'native',
      redirectUris: ['http://127.0.0.1/cb', REDIRECT_URI],
    });
    const loopback = { redirect_uri: 'http://127.0.0.1:4711/cb' };
    expect((await push(loopback, { as: native })).statusCode).toBe(201);
    await api.sql.query(`UPDATE applications SET security_profile = 'fapi2' WHERE id = $1`, [native.id]);
    expectOAuthError(await push(loopback, { as: native }), 400, 'invalid_request');
    expect((await push({}, { as: native })).statusCode).toBe(201);
  });

  it('loses what it asked for before', async () => {
    const late = await anAssertingApplication(world, makeSigner('ES256'), {
      responseTypes: ['code', 'id_token'],
      grantTypes: ['authorization_code', 'implicit'],
    });
    const pushed = await push({ response_type: 'id_token', nonce: 'n' }, { as: late });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    await api.sql.query(`UPDATE applications SET security_profile = 'fapi2' WHERE id = $1`, [late.id]);
    const url = authorizeUrl({ client_id: late.clientId, request_uri });
    expectErrorPage(await api.app.inject(url), 400);
  });

  it('goes on with nothing that was begun before, unpushed or without PKCE (S493)', async () => {
    const late = await anAssertingApplication(world);
    const withoutPkce = await send('/oauth/v2/par', codeRequest(late), { as: late });
    const coded = redirected(await new TestBrowser(api).signIn(codeRequest(late), user));
    expect(coded.get('code')).not.toBeNull();
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(late, PKCE));
    await api.sql.query(`UPDATE applications SET security_profile = 'fapi2' WHERE id = $1`, [late.id]);

    const { request_uri } = withoutPkce.json<{ request_uri: string }>();
    const pushed = authorizeUrl({ client_id: late.clientId, request_uri });
    expectErrorPage(await api.app.inject(pushed), 400);
    const signedIn = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expectErrorPage(signedIn, 400);
    expectErrorPage(await new TestBrowser(api).get(`/login/again?flow=${fields['flow'] ?? ''}`), 400);
    const redeemed = await redeem(coded, { as: late }, { code_verifier: '' });
    expect(expectOAuthError(redeemed, 400, 'invalid_grant')).toBe('code_verifier required');
  });

  it('has no token any more that is bound to nothing, once the profile is set (S494)', async () => {
    const late = await anAssertingApplication(world);
    const coded = redirected(await new TestBrowser(api).signIn(codeRequest(late), user));
    const tokens = (await redeem(coded, { as: late, proof: false }, { code_verifier: '' })).json<Tokens>();
    expect(tokens.token_type).toBe('Bearer');
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    const changed = await owner.call('PUT', `projects/${world.projectId}/apps/${late.id}/oidc_config`, {
      securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      redirectUris: [REDIRECT_URI],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    });
    expect(changed.statusCode, changed.body).toBe(200);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    const refreshed = (await refresh(tokens.refresh_token, { as: late })).json<Tokens>();
    expect(refreshed.token_type).toBe('DPoP');
  });
});

describe('an application under FAPI 2.0 that is in development mode', () => {
  it('has no keys that would be fetched in clear, though their address is stored (S499)', async () => {
    const [jwksUri, signer] = ['http://keys.test/jwks', makeSigner('ES256')];
    const open = await anApplication(world, { authMethod: 'private_key_jwt', jwksUri, devMode: true });
    const as = { ...open, signer, keyId: 'theirs' };
    // before it was called, and nobody was there
    expectOAuthError(await push({}, { as }), 503, 'temporarily_unavailable');
    await api.sql.query(`UPDATE applications SET security_profile = 'fapi2' WHERE id = $1`, [open.id]);
    expectOAuthError(await push({}, { as }), 401, 'invalid_client');
  });
});

describe('the setting securityProfile', () => {
  const FAPI2 = {
    securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
    redirectUris: [REDIRECT_URI],
  };
  const apps = (): string => `projects/${world.projectId}/apps`;

  it('says what it overrules', async () => {
    const body = { name: 'Bank', ...FAPI2, devMode: true, idTokenSignedResponseAlg: 'RS256' };
    const added = await owner.call('POST', `${apps()}/oidc`, body);
    expect(added.statusCode).toBe(200);
    const { appId } = added.json<{ appId: string }>();
    const { oidcConfig } = (await owner.call('GET', `${apps()}/${appId}`)).json<{
      app: { oidcConfig: Record<string, unknown> };
    }>().app;
    expect(oidcConfig['securityProfile']).toBe('OIDC_SECURITY_PROFILE_FAPI2');
    expect(oidcConfig['devMode']).toBe(true);
    expect(oidcConfig['overruledSettings']).toEqual([
      'requirePushedAuthorizationRequests',
      'dpopBoundAccessTokens',
      'assertionAudienceIssuerOnly',
      'devMode',
      'idTokenSignedResponseAlg',
    ]);
  });

  it.each([
    [{ authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC' }, 'authMethodType must be private_key_jwt'],
    [{ authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' }, 'authMethodType must be private_key_jwt'],
    [
      { redirectUris: [REDIRECT_URI, 'http://localhost/cb'], devMode: true },
      'redirectUris[1] must use https with the security profile',
    ],
    [{ jwksUri: 'http://rp.test/keys', devMode: true }, 'jwksUri must use https with the security profile'],
    [
      { backChannelLogoutUri: 'http://rp.test/out', devMode: true },
      'backChannelLogoutUri must use https with the security profile',
    ],
    [{ securityProfile: 'fapi1' }, 'securityProfile must be one of'],
  ])('is refused with %j', async (changes, message) => {
    const response = await owner.call('POST', `${apps()}/oidc`, { name: 'Bank 2', ...FAPI2, ...changes });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });
});
