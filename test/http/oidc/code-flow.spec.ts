import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, aPublicApplication } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  obtainTokens,
  pkce,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

describe('the code flow', () => {
  it('signs a user in and gives tokens that say so', async () => {
    const browser = new TestBrowser(api);
    const answered = await browser.signIn(codeRequest(client), user);
    expect(answered.statusCode).toBe(303);
    expect(answered.headers.location).toMatch(/^https:\/\/rp\.test\/cb\?/);
    const parameters = redirected(answered);
    expect(parameters.get('state')).toBe('Marker-state');
    expect(parameters.get('iss')).toBe('https://id.test');
    const code = parameters.get('code') ?? '';
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);

    const response = await requestToken(api, redemption(code), basic(client));
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    const tokens = response.json<Record<string, unknown>>();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      token_type: 'Bearer',
      expires_in: 43_200,
      scope: 'openid profile email offline_access',
      id_token: expect.any(String) as string,
      refresh_token: expect.stringMatching(/^rt_/) as string,
    });

    const keys = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
    const { payload, protectedHeader } = await jwtVerify(
      String(tokens['id_token']),
      createLocalJWKSet(keys),
      {
        issuer: 'https://id.test',
        audience: client.clientId,
      },
    );
    expect(protectedHeader).toEqual({ alg: 'RS256', kid: keys.keys[0]?.kid, typ: 'JWT' });
    expect(payload).toMatchObject({
      sub: user.userId,
      nonce: 'Marker-nonce',
      azp: client.clientId,
      amr: ['pwd'],
      at_hash: expect.any(String) as string,
    });
    expect(Object.keys(payload).toSorted()).toEqual(
      [
        'acr',
        'amr',
        'at_hash',
        'aud',
        'auth_time',
        'azp',
        'exp',
        'iat',
        'iss',
        'jti',
        'nonce',
        'sub',
      ].toSorted(),
    );

    const info = await userinfo(api, String(tokens['access_token']));
    expect(info.statusCode).toBe(200);
    expect(info.json()).toMatchObject({
      sub: user.userId,
      name: 'Ada Lovelace',
      preferred_username: user.loginName,
      email_verified: true,
    });
  });

  it('gives no refresh token without offline_access', async () => {
    const tokens = await obtainTokens(api, client, user, { scope: 'openid' });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens.scope).toBe('openid');
    expect((await userinfo(api, tokens.access_token)).json()).toEqual({ sub: user.userId });
  });

  it('gives JWT access tokens where the application asks for them', async () => {
    const jwtClient = await anApplication(world, { accessTokenType: 'jwt' });
    const tokens = await obtainTokens(api, jwtClient, user);
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: 'https://id.test',
      sub: user.userId,
      client_id: jwtClient.clientId,
      scope: 'openid profile email offline_access',
      aud: expect.arrayContaining([jwtClient.clientId, world.projectId]) as string[],
    });
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    // an ID token is signed by the same key and is no access token
    expect((await userinfo(api, tokens.id_token)).statusCode).toBe(401);
  });

  it('works for a public client with PKCE and for client_secret_post', async () => {
    const spa = await aPublicApplication(world);
    const { verifier, challenge } = pkce();
    const browser = new TestBrowser(api);
    const answered = await browser.signIn(codeRequest(spa, challenge), user);
    const code = redirected(answered).get('code') ?? '';
    const form = redemption(code, { client_id: spa.clientId, code_verifier: verifier });
    expect((await requestToken(api, form)).statusCode).toBe(200);

    const post = await anApplication(world, { authMethod: 'client_secret_post' });
    const again = await browser.get(
      `/oauth/v2/authorize?${new URLSearchParams(codeRequest(post)).toString()}`,
    );
    const secondCode = redirected(again).get('code') ?? '';
    const second = redemption(secondCode, { client_id: post.clientId, client_secret: post.clientSecret });
    expect((await requestToken(api, second)).statusCode).toBe(200);
  });

  it('puts the claims into the ID token where the application asks for it', async () => {
    const asserting = await anApplication(world, { idTokenUserinfoAssertion: true });
    const tokens = await obtainTokens(api, asserting, user);
    expect(decodeJwt(tokens.id_token)).toMatchObject({ name: 'Ada Lovelace', email_verified: true });
  });
});
