import type { LightMyRequestResponse } from 'fastify';
import { type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import { anAssertingApplication, makeSigner, type AssertingClient } from '../../support/assertions.js';
import { authorizeUrl, basic, codeRequest, redemption, TestBrowser } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from './support/answers.js';
import { aRequestObject, PKCE, postAsserted, VERIFIER } from './support/fapi2.js';

// FAPI 2.0 Message Signing, final: the section behind each name is where the demand stands (security S291). The instance serves neither
// request objects nor JARM to others.

const SIGNED = 'token-introspection+jwt';
const { api, world } = useWorld({ SIGNING_ALG: 'ES256' });
const PROFILE = { securityProfile: 'fapi2_message_signing' } as const;
const client = given(() => anAssertingApplication(world, makeSigner('ES256'), PROFILE));
const resource = given(() => anApplication(world));
const user = given(() => aUser(world));
const key = given(() => aProofKey());
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const signed = (changes: Readonly<Record<string, unknown>> = {}, by = client) => aRequestObject(by, changes);

const send = (path: string, parameters: Record<string, string>, by = client) =>
  postAsserted(api, path, parameters, by, key);

async function push(request: string, by: AssertingClient = client): Promise<LightMyRequestResponse> {
  return await send('/oauth/v2/par', { client_id: by.clientId, request }, by);
}

async function verified(jwt: string, audience: string, typ = 'JWT'): Promise<JWTPayload> {
  return (await verifyJwt(api, jwt, { audience, typ, algorithms: ['ES256'] })).payload;
}

/** The one parameter of an answer, opened. */
async function answered(response: LightMyRequestResponse): Promise<JWTPayload> {
  const { searchParams } = new URL(response.headers.location ?? '');
  expect([...searchParams.keys()]).toEqual(['response']);
  return await verified(searchParams.get('response') ?? '', client.clientId);
}

async function signedIn(request_uri: string): Promise<JWTPayload> {
  return await answered(await new TestBrowser(api).signIn({ client_id: client.clientId, request_uri }, user));
}

async function aToken(): Promise<string> {
  const { request_uri } = (await push(await signed())).json<{ request_uri: string }>();
  const { code } = await signedIn(request_uri);
  const redeemed = await send('/oauth/v2/token', redemption(String(code), { code_verifier: VERIFIER }));
  return redeemed.json<{ access_token: string }>().access_token;
}

describe('an application under FAPI 2.0 Message Signing', () => {
  it('signs people in, with request and answer signed', async () => {
    const pushed = await push(await signed());
    expect(pushed.statusCode).toBe(201);
    const answer = await signedIn(pushed.json<{ request_uri: string }>().request_uri);
    expect(answer).toMatchObject({ code: expect.any(String) as string, state: 'Marker-state' });
  });

  it('must sign its requests, and push them (§5.3.1)', async () => {
    const plain = { ...codeRequest(client, { ...PKCE, response_mode: 'jwt' }) };
    const pushed = await send('/oauth/v2/par', plain);
    expectOAuthError(pushed, 400, 'invalid_request');
    expect(pushed.json()).toMatchObject({
      error_description: expect.stringContaining('must sign') as string,
    });
    // what stands beside the signed request counts for nothing
    const beside = await send('/oauth/v2/par', {
      ...plain,
      client_id: client.clientId,
      request: await signed({ redirect_uri: 'https://evil.test/cb' }),
    });
    expectOAuthError(beside, 400, 'invalid_request');
  });

  it.each<[string, Record<string, unknown>]>([
    ['without nbf', { nbf: undefined }],
    ['with an nbf of two hours ago', { nbf: Math.floor(Date.now() / 1000) - 7_200 }],
    [
      'good for more than an hour after nbf',
      { nbf: Math.floor(Date.now() / 1000) - 3_500, exp: Math.floor(Date.now() / 1000) + 300 },
    ],
    ['without exp', { exp: undefined }],
    ['for another service', { aud: 'https://other.test' }],
  ])('cannot sign one %s (§5.3.1)', async (_, changes) => {
    expectOAuthError(await push(await signed(changes)), 400, 'invalid_request_object');
  });

  it('cannot sign one by RS256 (Security Profile §5.4.1)', async () => {
    const by = await anAssertingApplication(world, makeSigner('RS256'), PROFILE);
    const parameters = { client_id: by.clientId, request: await signed({}, by) };
    expectOAuthError(await send('/oauth/v2/par', parameters, by), 401, 'invalid_client');
  });

  it.each([undefined, 'query', 'form_post', 'fragment'])(
    'must ask for an answer that is signed, not %s (§5.4.1)',
    async (response_mode) => {
      const response = await push(await signed({ response_mode }));
      expectOAuthError(response, 400, 'invalid_request');
      expect(response.json()).toMatchObject({
        error_description: 'response_mode must be jwt for this application',
      });
    },
  );

  it('is told what is wrong by a JWT, however it asked (§5.4.1)', async () => {
    for (const changes of [{}, { response_mode: 'query' }]) {
      const answer = await answered(
        await api.app.inject(authorizeUrl(codeRequest(client, { ...PKCE, ...changes }))),
      );
      expect(answer).toMatchObject({ error: 'invalid_request', state: 'Marker-state' });
    }
  });

  it('is not answered what it pushed before, unsigned', async () => {
    const late = await anAssertingApplication(world, makeSigner('ES256'), { securityProfile: 'fapi2' });
    const pushed = await send('/oauth/v2/par', codeRequest(late, PKCE), late);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    await api.sql.query(`UPDATE applications SET security_profile = $2 WHERE id = $1`, [
      late.id,
      PROFILE.securityProfile,
    ]);
    expectErrorPage(await api.app.inject(authorizeUrl({ client_id: late.clientId, request_uri })), 400);
  });

  it('has signed what introspection says of its tokens, whoever asks and however (§5.5.1)', async () => {
    const token = await aToken();
    for (const accept of ['application/json', `application/${SIGNED}`]) {
      const headers = { ...basic(resource), accept };
      const told = await postForm(api, '/oauth/v2/introspect', { token }, headers);
      expect(told.headers['content-type']).toBe(`application/${SIGNED}`);
      const { token_introspection } = await verified(told.body, resource.clientId, SIGNED);
      expect(token_introspection).toMatchObject({ active: true, client_id: client.clientId });
    }
    const unknown = await postForm(api, '/oauth/v2/introspect', { token: 'x' }, basic(resource));
    expect(unknown.json()).toEqual({ active: false });
  });

  it('hears itself signed, of dead tokens too', async () => {
    const told = await send('/oauth/v2/introspect', { token: 'x' });
    const { token_introspection } = await verified(told.body, client.clientId, SIGNED);
    expect(token_introspection).toEqual({ active: false });
  });
});

describe('an application under FAPI 2.0', () => {
  it('has userinfo signed by the algorithm of the instance in place of RS256 (Security Profile §5.4.1)', async () => {
    const token = await aToken();
    const of = async () =>
      await api.app.inject({
        url: '/oidc/v1/userinfo',
        headers: await boundBy(key, token, 'GET', '/oidc/v1/userinfo'),
      });
    expect((await of()).json()).toMatchObject({ sub: user.userId });
    await api.sql.query(`UPDATE applications SET userinfo_algorithm = 'RS256' WHERE id = $1`, [client.id]);
    expect(await verified((await of()).body, client.clientId)).toMatchObject({ sub: user.userId });
    await api.sql.query(`UPDATE applications SET userinfo_algorithm = NULL WHERE id = $1`, [client.id]);
  });
});

describe('the setting', () => {
  const SIGNS = {
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
    redirectUris: [REDIRECT_URI],
  };
  const apps = (): string => `projects/${world.projectId}/apps`;

  it('says what it overrules', async () => {
    const securityProfile = 'OIDC_SECURITY_PROFILE_FAPI2_MESSAGE_SIGNING';
    const body = { name: 'Bank', ...SIGNS, securityProfile, userinfoSignedResponseAlg: 'RS256' };
    const { appId } = (await owner.call('POST', `${apps()}/oidc`, body)).json<{ appId: string }>();
    const { oidcConfig } = (await owner.call('GET', `${apps()}/${appId}`)).json<{
      app: { oidcConfig: Record<string, unknown> };
    }>().app;
    expect(oidcConfig['securityProfile']).toBe(securityProfile);
    expect(oidcConfig['overruledSettings']).toEqual([
      'requirePushedAuthorizationRequests',
      'dpopBoundAccessTokens',
      'assertionAudienceIssuerOnly',
      'userinfoSignedResponseAlg',
      'requireSignedRequestObject',
    ]);
  });
});

describe('requireSignedRequestObject (RFC 9101 §10.5)', () => {
  const strict = given(() =>
    anAssertingApplication(world, makeSigner('ES256'), { requireSignedRequestObject: true }),
  );

  it('refuses whatever is not signed, with the browser and pushed', async () => {
    expectRedirectedError(await api.app.inject(authorizeUrl(codeRequest(strict))), 'invalid_request');
    expectOAuthError(await send('/oauth/v2/par', codeRequest(strict), strict), 400, 'invalid_request');
  });

  it('is for an application that signs', async () => {
    const body = { name: 'Basic', redirectUris: [REDIRECT_URI], requireSignedRequestObject: true };
    const response = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, body);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain('requireSignedRequestObject is for');
  });

  it('takes what is signed and pushed, though the instance takes it from nobody else', async () => {
    const request = await signed({ response_mode: undefined, nbf: undefined }, strict);
    expect((await push(request, strict)).statusCode).toBe(201);
    const other = await anAssertingApplication(world);
    const both = { ...codeRequest(other), request: await signed({}, other) };
    expectOAuthError(await send('/oauth/v2/par', both, other), 400, 'request_not_supported');
  });
});
