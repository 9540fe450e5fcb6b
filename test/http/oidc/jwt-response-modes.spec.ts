import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted } from '../../support/assertions.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  HYBRID,
  IMPLICIT,
  redemption,
  requestToken,
  TestBrowser,
  userinfo,
  type Answer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError, expectErrorPage } from './support/answers.js';

// JWT Secured Authorization Response Mode (JARM): all that an answer says, inside a JWT that we sign.

const MODES = ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'] as const;
const text = expect.any(String) as string;

describe('on an instance that signs with ES256', () => {
  const { api, world } = useWorld({
    SIGNING_ALG: 'ES256',
    JWT_RESPONSE_MODES: 'on',
    HYBRID_FLOW: 'on',
    REQUEST_OBJECTS: 'signed',
  });
  const client = given(() =>
    anApplication(world, { ...HYBRID, responseTypes: [...HYBRID.responseTypes, ...IMPLICIT.responseTypes] }),
  );
  const user = given(() => aUser(world));
  const signedIn = given(() => aSignedInBrowser(api, client, user));
  const stranger = new TestBrowser(api);

  const ask = async (changes: Record<string, string>, browser = signedIn, of: TestClient = client) =>
    await browser.get(authorizeUrl(codeRequest(of, changes)));

  interface Opened {
    readonly by: Answer['by'];
    readonly alg: string;
    readonly exp: number;
    readonly said: Readonly<Record<string, unknown>>;
  }

  /** What the JWT says for this client, once it is verified; `response` is all that came. */
  async function opened(
    response: LightMyRequestResponse,
    of: TestClient = client,
    redirectUri?: string,
  ): Promise<Opened> {
    const { by, parameters } = answerOf(response, redirectUri);
    expect([...parameters.keys()]).toEqual(['response']);
    const jwt = parameters.get('response') ?? '';
    const { payload, protectedHeader } = await verifyJwt(api, jwt, { audience: of.clientId });
    const { iss: _iss, aud, exp = 0, ...said } = payload;
    expect(aud).toBe(of.clientId);
    return { by, alg: protectedHeader.alg, exp, said };
  }

  it.each([
    ['code', 'jwt', 'query', { code: text }],
    ['code', 'query.jwt', 'query', { code: text }],
    ['code', 'fragment.jwt', 'fragment', { code: text }],
    ['code', 'form_post.jwt', 'form_post', { code: text }],
    ['id_token', 'jwt', 'fragment', { id_token: text }],
    ['id_token token', 'fragment.jwt', 'fragment', { id_token: text, access_token: text }],
    ['code id_token', 'jwt', 'fragment', { id_token: text, code: text }],
    ['code token', 'form_post.jwt', 'form_post', { access_token: text, code: text }],
  ])('%s by %s travels by %s, as one parameter', async (response_type, response_mode, by, parts) => {
    const { said, ...rest } = await opened(await ask({ response_type, response_mode }));
    expect(rest).toMatchObject({ by, alg: 'ES256' });
    expect(said).toMatchObject({ state: 'Marker-state', ...parts });
    expect(said).not.toHaveProperty('error');
  });

  it('says no more than a plain answer does, lasts ten minutes, and its code is redeemed', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { exp, said } = await opened(await ask({ response_mode: 'jwt' }));
    expect(Object.keys(said).toSorted()).toEqual(['code', 'state']);
    expect(exp - before).toBeGreaterThanOrEqual(590);
    expect(exp - before).toBeLessThanOrEqual(610);
    const tokens = await requestToken(api, redemption(String(said['code'])), basic(client));
    expect(tokens.statusCode).toBe(200);
  });

  it('comes after a sign-in as well', async () => {
    const browser = new TestBrowser(api);
    const request = codeRequest(client, { response_mode: 'fragment.jwt' });
    const { by, said } = await opened(await browser.signIn(request, user));
    expect({ by, said }).toEqual({ by: 'fragment', said: { code: text, state: 'Marker-state' } });
  });

  it('is signed with RS256 for an application that chose it', async () => {
    const app = await anApplication(world, { authorizationAlgorithm: 'RS256' });
    const { alg } = await opened(await ask({ response_mode: 'jwt' }, signedIn, app), app);
    expect(alg).toBe('RS256');
  });

  it('is for one application: another that verifies its audience refuses it', async () => {
    const response = await ask({ response_mode: 'jwt' });
    const other = await anApplication(world);
    await expect(opened(response, other)).rejects.toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
  });

  it('is neither an access token nor an ID token', async () => {
    const jwt = answerOf(await ask({ response_mode: 'jwt' })).parameters.get('response') ?? '';
    expect(decodeJwt(jwt)).not.toHaveProperty('sub');
    expect((await userinfo(api, jwt)).statusCode).toBe(401);
    expectAnsweredError(await ask({ id_token_hint: jwt }), 'invalid_request', { by: 'query' });
  });

  describe('an error', () => {
    it.each(MODES)('is signed by %s as the answer would be', async (response_mode) => {
      const refused = await opened(await ask({ response_mode, prompt: 'none' }, stranger));
      expect(refused.said).toEqual({
        error: 'login_required',
        error_description: text,
        state: 'Marker-state',
      });
      expect(refused.alg).toBe('ES256');
    });

    it.each([
      ['a type that is not served', { response_type: 'token' }, 'unsupported_response_type'],
      ['no openid', { scope: 'profile' }, 'invalid_scope'],
      ['a request object that is no good', { request: 'eyJhbGciOiJub25lIn0.e30.' }, undefined],
      ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
    ])('is signed before anything else of the request is good: %s', async (_name, changes, error) => {
      const response = await ask({ response_mode: 'jwt', ...changes }, stranger);
      // who sent an unsigned request object is told on a page of ours, since its redirect URI is nobody's word
      if (error === undefined) return expectErrorPage(response, 400);
      expect((await opened(response)).said).toMatchObject({ error });
    });

    it.each(['id_token', 'id_token token', 'code id_token', 'code token'])(
      'is what %s gets by query.jwt: no token in a query, encoded or not (JARM §2.3.1)',
      async (response_type) => {
        const { by, said } = await opened(await ask({ response_type, response_mode: 'query.jwt' }));
        expect(by).toBe('fragment');
        expect(said).toMatchObject({ error: 'invalid_request' });
        expect(said['error_description']).toContain('query.jwt');
        expect(said).not.toHaveProperty('id_token');
        expect(said).not.toHaveProperty('access_token');
      },
    );

    it('is what a redirect URI of its own scheme gets by form_post.jwt, signed all the same', async () => {
      const to = 'com.example.app:/cb';
      const native = await anApplication(world, { appType: 'native', redirectUris: [to] });
      const changes = { redirect_uri: to, response_mode: 'form_post.jwt' };
      const { by, said } = await opened(await ask(changes, signedIn, native), native, to);
      expect(by).toBe('query');
      expect(said['error_description']).toContain('form_post.jwt');
    });

    it.each([
      ['a mode twice', { response_mode: 'jwt' }, '&response_mode=query'],
      ['a mode that nobody knows', { response_mode: 'web_message.jwt' }, ''],
      ['another case', { response_mode: 'JWT' }, ''],
    ])('is plain where no mode can be read: %s', async (_name, changes, more) => {
      const response = await signedIn.get(`${authorizeUrl(codeRequest(client, changes))}${more}`);
      expectAnsweredError(response, 'invalid_request', { by: 'query' });
    });

    it('is shown, and goes nowhere, until client and redirect URI are known', async () => {
      const changes = { response_mode: 'jwt', redirect_uri: 'https://evil.test/cb' };
      expectErrorPage(await ask(changes), 400);
    });
  });

  it('cannot be taken out of a request that was pushed', async () => {
    const app = await anAssertingApplication(world);
    const form = { ...codeRequest(app, { response_mode: 'jwt' }), ...(await asserted(app)) };
    const { request_uri } = (await postForm(api, '/oauth/v2/par', form)).json<{ request_uri: string }>();
    const response = await signedIn.get(
      authorizeUrl({ client_id: app.clientId, request_uri, response_mode: 'query' }),
    );
    expect((await opened(response, app)).said).toMatchObject({ code: text });
  });

  it('is listed by discovery', async () => {
    const document = (await api.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(document).toMatchObject({
      response_modes_supported: ['query', 'fragment', 'form_post', ...MODES],
      authorization_signing_alg_values_supported: ['ES256', 'RS256'],
    });
  });
});

describe('on an instance without them', () => {
  const { api, world } = useWorld();
  const client = given(() => anApplication(world));
  const user = given(() => aUser(world));
  const signedIn = given(() => aSignedInBrowser(api, client, user));

  // discovery.spec.ts has the whole document, without the modes
  it.each(MODES)('%s is refused as any mode that nobody knows', async (response_mode) => {
    const response = await signedIn.get(authorizeUrl(codeRequest(client, { response_mode })));
    const description = expectAnsweredError(response, 'invalid_request', { by: 'query' });
    expect(description).toBe('response_mode is not supported');
  });
});
