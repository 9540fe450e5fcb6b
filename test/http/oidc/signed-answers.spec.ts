import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTVerifyResult } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { basic, obtainTokens, userinfo } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const ISSUER = 'https://id.test';
const SIGNED = 'application/token-introspection+jwt';

// the key for RS256 is there whatever else signs
describe.each(['RS256', 'PS256', 'ES256'])('answers of an instance that signs with %s', (instance) => {
  const { api, world } = useWorld({ SIGNING_ALG: instance });
  const user = given(() => aUser(world));
  const client = given(() => anApplication(world));

  async function verified(jwt: string, typ: string, audience: string): Promise<JWTVerifyResult> {
    const keys = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
    return await jwtVerify(jwt, createLocalJWKSet(keys), { issuer: ISSUER, audience, typ });
  }

  it('userinfo is a JWT for an application that wants one (OpenID Connect Core §5.3.2)', async () => {
    const app = await anApplication(world, { userinfoAlgorithm: 'RS256' });
    const { access_token: token } = await obtainTokens(api, app, user);
    const response = await userinfo(api, token);
    expect(response.headers).toMatchObject({
      'content-type': 'application/jwt',
      'cache-control': 'no-store',
    });
    const { payload, protectedHeader } = await verified(response.body, 'JWT', app.clientId);
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload).toMatchObject({ sub: user.userId, preferred_username: user.loginName });
    // it opens nothing
    expect((await userinfo(api, response.body)).statusCode).toBe(401);
  });

  it('userinfo is JSON for every other', async () => {
    const { access_token: token } = await obtainTokens(api, client, user);
    const response = await userinfo(api, token);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.json()).not.toHaveProperty('aud');
  });

  it('introspection is a JWT for whoever accepts one (RFC 9701)', async () => {
    const { access_token: token } = await obtainTokens(api, client, user);
    const ask = async (text: string) =>
      await postForm(api, '/oauth/v2/introspect', { token: text }, { ...basic(client), accept: SIGNED });
    const response = await ask(token);
    expect(response.headers).toMatchObject({ 'content-type': SIGNED, 'cache-control': 'no-store' });
    const { payload, protectedHeader } = await verified(
      response.body,
      'token-introspection+jwt',
      client.clientId,
    );
    expect(protectedHeader.alg).toBe(instance);
    const { iat, token_introspection: told, ...rest } = payload;
    expect(rest).toEqual({ iss: ISSUER, aud: client.clientId });
    expect(typeof iat).toBe('number');
    const plain = await postForm(api, '/oauth/v2/introspect', { token }, basic(client));
    expect(told).toEqual(plain.json());
    const dead = await verified((await ask('x')).body, 'token-introspection+jwt', client.clientId);
    expect(dead.payload['token_introspection']).toEqual({ active: false });
    expect((await userinfo(api, response.body)).statusCode).toBe(401);
  });

  it('errors stay JSON', async () => {
    const headers = { ...basic({ ...client, clientSecret: 'wrong' }), accept: SIGNED };
    const refused = await postForm(api, '/oauth/v2/introspect', { token: 'x' }, headers);
    expectOAuthError(refused, 401, 'invalid_client');
  });
});
