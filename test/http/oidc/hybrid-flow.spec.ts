import { createHash } from 'node:crypto';
import { type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { HYBRID_RESPONSE_TYPES } from '../../../src/domain/applications/oidc-config.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  HYBRID,
  IMPLICIT,
  pkce,
  redemption,
  requestToken,
  TestBrowser,
  userinfo,
  type Answer,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, proofOf, type ProofKey } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError, expectOAuthError } from './support/answers.js';
import { EXCHANGE, TYPES } from './support/exchanges.js';

// A code by way of the browser, and a token with it (OpenID Connect Core §3.3).

const { api, world } = useWorld({ HYBRID_FLOW: 'on' });
const client = given(() => anApplication(world, HYBRID));
const plain = given(() => anApplication(world));
const user = given(() => aUser(world, { phone: { number: '+41791234567', verified: true } }));
const signedIn = given(() => aSignedInBrowser(api, client, user));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const ALL_SCOPES = 'openid profile email phone address offline_access';

function hybridRequest(changes: Record<string, string> = {}, of: TestClient = client) {
  return codeRequest(of, { response_type: 'code id_token token', scope: ALL_SCOPES, ...changes });
}

async function ask(
  changes: Record<string, string> = {},
  { of = client, by = 'fragment' }: { of?: TestClient; by?: Answer['by'] } = {},
): Promise<Record<string, string>> {
  const answer = answerOf(await signedIn.get(authorizeUrl(hybridRequest(changes, of))));
  expect(answer.by).toBe(by);
  return Object.fromEntries(answer.parameters);
}

async function expectRefused(
  parameters: Record<string, string>,
  error: string,
  by: Answer['by'] = 'fragment',
): Promise<string> {
  return expectAnsweredError(await signedIn.get(authorizeUrl(parameters)), error, { by });
}

async function redeem(code = '', of: TestClient = client, more: Record<string, string> = {}) {
  return await requestToken(api, { ...redemption(code), ...more }, basic(of));
}

async function verified(idToken = ''): Promise<JWTPayload> {
  return (await verifyJwt(api, idToken, { audience: client.clientId })).payload;
}

const leftHalf = (text = '') =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

const ISSUER_AND_STATE = { state: 'Marker-state', iss: 'https://id.test' };
const text = expect.any(String) as string;
const USER_CLAIMS = ['name', 'email', 'phone_number', 'updated_at'];

describe('a hybrid answer', () => {
  it.each([
    ['code id_token', { code: text, id_token: text }],
    [
      'code token',
      { code: text, access_token: text, token_type: 'Bearer', expires_in: '43200', scope: ALL_SCOPES },
    ],
    [
      'code id_token token',
      {
        code: text,
        access_token: text,
        token_type: 'Bearer',
        expires_in: '43200',
        id_token: text,
        scope: ALL_SCOPES,
      },
    ],
  ])('has in the fragment, for %s, what §3.3.2.5 names', async (responseType, parts) => {
    const answer = await ask({ response_type: responseType });
    expect(answer).toEqual({ ...parts, ...ISSUER_AND_STATE });
  });

  it('is the same type in another order of words', async () => {
    expect(Object.keys(await ask({ response_type: 'token id_token code' }))).toEqual(
      Object.keys(await ask({ response_type: 'code id_token token' })),
    );
  });

  it('hashes into its ID token exactly what comes with it (§3.3.2.11)', async () => {
    const both = await ask();
    expect(await verified(both['id_token'])).toMatchObject({
      sub: user.userId,
      nonce: 'Marker-nonce',
      c_hash: leftHalf(both['code']),
      at_hash: leftHalf(both['access_token']),
    });
    const one = await ask({ response_type: 'code id_token' });
    const payload = await verified(one['id_token']);
    expect(payload).toMatchObject({ c_hash: leftHalf(one['code']) });
    expect(payload).not.toHaveProperty('at_hash');
  });

  it('tells the claims of scopes by userinfo, not by way of the browser', async () => {
    for (const response_type of ['code id_token', 'code id_token token']) {
      const payload = await verified((await ask({ response_type }))['id_token']);
      for (const claim of USER_CLAIMS) expect(payload).not.toHaveProperty(claim);
    }
    const { access_token: token } = await ask({ response_type: 'code token' });
    expect((await userinfo(api, token ?? '')).json()).toMatchObject({
      sub: user.userId,
      name: 'Ada Lovelace',
    });
  });

  it('has a code that is redeemed as any other, for an ID token of the same subject (§3.3.3.6)', async () => {
    for (const response_type of HYBRID_RESPONSE_TYPES) {
      const answer = await ask({ response_type });
      const tokens = (await redeem(answer['code'])).json<TokenAnswer>();
      expect(tokens.refresh_token).toEqual(text);
      const payload = await verified(tokens.id_token);
      expect(payload).toMatchObject({ sub: user.userId, nonce: 'Marker-nonce' });
      expect(payload).not.toHaveProperty('c_hash');
      expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    }
  });

  it('comes by a form where that was asked for', async () => {
    const answer = await ask({ response_mode: 'form_post' }, { by: 'form_post' });
    expect(Object.keys(answer).toSorted()).toEqual(
      ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type'].toSorted(),
    );
    expect((await redeem(answer['code'])).statusCode).toBe(200);
  });

  it('comes after a sign-in as well, and by a pushed request', async () => {
    const { parameters } = answerOf(await new TestBrowser(api).signIn(hybridRequest(), user));
    expect(parameters.has('code') && parameters.has('id_token')).toBe(true);
    const pushed = await postForm(api, '/oauth/v2/par', hybridRequest(), basic(client));
    const named = {
      client_id: client.clientId,
      request_uri: pushed.json<{ request_uri: string }>().request_uri,
    };
    const answer = answerOf(await signedIn.get(authorizeUrl(named)));
    expect({ by: answer.by, code: answer.parameters.get('code') }).toEqual({ by: 'fragment', code: text });
  });
});

describe('what no hybrid answer gets around', () => {
  it.each(HYBRID_RESPONSE_TYPES)('%s never by the query, whatever goes wrong', async (response_type) => {
    await expectRefused(hybridRequest({ response_type, response_mode: 'query' }), 'invalid_request');
    await expectRefused(hybridRequest({ response_type, scope: 'profile' }), 'invalid_scope');
    const stranger = await new TestBrowser(api).get(
      authorizeUrl(hybridRequest({ response_type, prompt: 'none' })),
    );
    expectAnsweredError(stranger, 'login_required', { by: 'fragment' });
  });

  it('asks for a nonce where an ID token comes through the browser', async () => {
    for (const response_type of ['code id_token', 'code id_token token']) {
      const { nonce, ...rest } = hybridRequest({ response_type });
      expect(nonce).toBe('Marker-nonce');
      await expectRefused(rest, 'invalid_request');
      await expectRefused({ ...rest, nonce: '' }, 'invalid_request');
    }
    const { nonce, ...rest } = hybridRequest({ response_type: 'code token' });
    expect(nonce).toBe('Marker-nonce');
    expect(answerOf(await signedIn.get(authorizeUrl(rest))).parameters.get('code')).toEqual(text);
  });

  it('asks a client without a secret for PKCE, and holds the code to it', async () => {
    const spa = await anApplication(world, { ...HYBRID, authMethod: 'none', appType: 'user_agent' });
    await expectRefused(hybridRequest({}, spa), 'invalid_request');
    const { verifier, challenge } = pkce();
    await expectRefused(
      hybridRequest({ ...challenge, code_challenge_method: 'plain' }, spa),
      'invalid_request',
    );
    const first = await ask(challenge, { of: spa });
    const wrong = await requestToken(api, {
      ...redemption(first['code'] ?? ''),
      client_id: spa.clientId,
      code_verifier: pkce().verifier,
    });
    expectOAuthError(wrong, 400, 'invalid_grant');
    const second = await ask(challenge, { of: spa });
    const right = await requestToken(api, {
      ...redemption(second['code'] ?? ''),
      client_id: spa.clientId,
      code_verifier: verifier,
    });
    expect(right.statusCode).toBe(200);
  });

  it('gives a code that is bound to its client and its redirect URI, and good once', async () => {
    const { code, access_token: inFront } = await ask();
    expectOAuthError(await redeem(code, plain), 400, 'invalid_grant');
    const other = await ask();
    const elsewhere = await redeem(other['code'], client, { redirect_uri: 'https://rp.test/other' });
    expectOAuthError(elsewhere, 400, 'invalid_grant');
    const third = await ask();
    const tokens = (await redeem(third['code'])).json<TokenAnswer>();
    expectOAuthError(await redeem(third['code']), 400, 'invalid_grant');
    // of a code that came twice nothing is good any more, what the browser brought included
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect((await userinfo(api, third['access_token'] ?? '')).statusCode).toBe(401);
    expect((await userinfo(api, inFront ?? '')).statusCode).toBe(200);
  });

  it('gives an application that binds its tokens to keys none through the browser', async () => {
    const bound = await anApplication(world, { ...HYBRID, dpopBoundAccessTokens: true });
    for (const response_type of ['code token', 'code id_token token']) {
      await expectRefused(hybridRequest({ response_type }, bound), 'unauthorized_client');
    }
    expect(await ask({ response_type: 'code id_token' }, { of: bound })).toHaveProperty('code');
  });
});

describe('response types are not taken for one another (S026)', () => {
  it.each(HYBRID_RESPONSE_TYPES)('%s is for applications that have it alone', async (response_type) => {
    const others = HYBRID_RESPONSE_TYPES.filter((type) => type !== response_type);
    for (const responseTypes of [IMPLICIT.responseTypes, ['code'], others]) {
      const application = await anApplication(world, { ...IMPLICIT, responseTypes });
      await expectRefused(hybridRequest({ response_type }, application), 'unauthorized_client');
    }
  });

  it.each([[['authorization_code']], [['implicit']]])(
    'both grant types are needed: %s',
    async (grantTypes) => {
      const application = await anApplication(world, { ...HYBRID, grantTypes });
      for (const response_type of HYBRID_RESPONSE_TYPES) {
        await expectRefused(hybridRequest({ response_type }, application), 'unauthorized_client');
      }
    },
  );

  it('has an ID token that is exchanged by whoever has the key of the code, and by nobody else (RFC 9449 §10)', async () => {
    const key = await aProofKey();
    const open = await anApplication(world, {
      ...HYBRID,
      appType: 'user_agent',
      authMethod: 'none',
      grantTypes: ['authorization_code', 'implicit', EXCHANGE],
    });
    const asked = { ...pkce().challenge, response_type: 'code id_token', dpop_jkt: key.jkt };
    const { id_token: idToken = '' } = await ask(asked, { of: open });
    const form = {
      grant_type: EXCHANGE,
      client_id: open.clientId,
      subject_token: idToken,
      subject_token_type: TYPES.id,
    };
    const exchange = async (by?: ProofKey) =>
      await requestToken(
        api,
        form,
        by === undefined ? {} : { dpop: await proofOf(by, 'POST', '/oauth/v2/token') },
      );
    expectOAuthError(await exchange(), 400, 'invalid_request');
    expectOAuthError(await exchange(await aProofKey()), 400, 'invalid_request');
    const exchanged = await exchange(key);
    expect(exchanged.statusCode, exchanged.body).toBe(200);
    expect(exchanged.json()).toMatchObject({ token_type: 'DPoP' });
  });

  it('an application that has hybrid types has no others by that', async () => {
    const application = await anApplication(world, { ...HYBRID, responseTypes: ['code id_token'] });
    await expectRefused(
      hybridRequest({ response_type: 'code' }, application),
      'unauthorized_client',
      'query',
    );
    for (const response_type of ['id_token', 'id_token token', 'code id_token token']) {
      await expectRefused(hybridRequest({ response_type }, application), 'unauthorized_client');
    }
  });

  it.each([
    'token',
    'none',
    'code none',
    'code code',
    'code id_token id_token',
    'CODE ID_TOKEN',
    'code,token',
  ])('%s is none', async (response_type) => {
    await expectRefused(hybridRequest({ response_type }), 'unsupported_response_type', 'query');
  });

  it('what a sign-in was begun with is not changed by what its form brings', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(plain));
    const answer = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
      response_type: 'code id_token token',
      response_mode: 'fragment',
    });
    const { by, parameters } = answerOf(answer);
    expect({ by, names: [...parameters.keys()] }).toEqual({ by: 'query', names: ['code', 'state', 'iss'] });
  });

  it('a type that is taken away while somebody signs in is not answered', async () => {
    const application = await anApplication(world, HYBRID);
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(hybridRequest({}, application)));
    const fields = hiddenFields((await browser.get(begun.headers.location ?? '')).body);
    await api.sql.query(`UPDATE applications SET response_types = '{code}' WHERE id = $1`, [application.id]);
    const answer = await browser.post('/login', { ...fields, loginName: user.loginName, password: PASSWORD });
    expect(answer.headers.location ?? '').not.toContain('rp.test');
    expect(answer.body).not.toContain('access_token');
  });
});

describe('the setting', () => {
  it('is what discovery lists', async () => {
    const document = (await api.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(document).toMatchObject({
      response_types_supported: [
        'code',
        'id_token',
        'id_token token',
        'code id_token',
        'code token',
        'code id_token token',
      ],
      claims_supported: expect.arrayContaining(['c_hash']) as string[],
    });
  });

  it('is needed beside what an application has: the management API takes the types and says what they need', async () => {
    const body = {
      name: 'Hybrid',
      redirectUris: ['https://rp.test/cb'],
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_CODE_TOKEN'],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
    };
    const created = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, body);
    expect(created.statusCode).toBe(200);
    expect(created.json()).toMatchObject({
      complianceProblems: [{ key: 'Application.OIDC.V1.HybridNeedsBothGrants', localizedMessage: text }],
    });
    const both = {
      ...body,
      name: 'Hybrid with both',
      responseTypes: [...body.responseTypes, 'OIDC_RESPONSE_TYPE_CODE_ID_TOKEN_TOKEN'],
      grantTypes: [...body.grantTypes, 'OIDC_GRANT_TYPE_IMPLICIT'],
    };
    const second = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, both);
    expect(second.json()).not.toHaveProperty('complianceProblems.0');
    const { appId } = second.json<{ appId: string }>();
    const read = await owner.call('GET', `projects/${world.projectId}/apps/${appId}`);
    expect(read.json()).toMatchObject({ app: { oidcConfig: { responseTypes: both.responseTypes } } });
  });
});
