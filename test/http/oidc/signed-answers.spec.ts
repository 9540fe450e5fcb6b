import { type JWTVerifyResult } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { basic, obtainTokens, userinfo } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { anInitialToken, aRegistered } from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const ISSUER = 'https://id.test';
const SIGNED = 'application/token-introspection+jwt';

// the key for RS256 is there whatever else signs
describe.each(['RS256', 'PS256', 'ES256'])('answers of an instance that signs with %s', (instance) => {
  const { api, world } = useWorld({ SIGNING_ALG: instance, CLIENT_REGISTRATION: 'token' });
  const user = given(() => aUser(world));
  const client = given(() => anApplication(world));

  async function verified(jwt: string, typ: string, audience: string): Promise<JWTVerifyResult> {
    return await verifyJwt(api, jwt, { audience, typ });
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

  it('introspection is signed by RS256 for a client that registered itself (RFC 9701 §6)', async () => {
    const { client_id: clientId, client_secret: clientSecret } = await aRegistered(
      api,
      (await anInitialToken(world)).token,
    );
    const registered = { id: '', clientId, clientSecret };
    const { access_token: token } = await obtainTokens(api, registered, user, { scope: 'openid' });
    for (const [text, active] of [
      [token, true],
      ['x', false],
    ] as const) {
      const headers = { ...basic(registered), accept: SIGNED };
      const { body } = await postForm(api, '/oauth/v2/introspect', { token: text }, headers);
      const { payload, protectedHeader } = await verified(body, 'token-introspection+jwt', clientId);
      expect(protectedHeader.alg).toBe('RS256');
      expect(payload['token_introspection']).toMatchObject({ active });
    }
    const discovery = await api.app.inject('/.well-known/openid-configuration');
    const { introspection_signing_alg_values_supported: listed } = discovery.json<Record<string, string[]>>();
    expect(listed).toEqual(expect.arrayContaining([instance, 'RS256']));
  });

  it.each([
    ['Application/Token-Introspection+JWT', true],
    [`application/json;q=0.9, ${SIGNED};q=0.8`, true],
    [`application/json, ${SIGNED};q=0`, false],
    [`${SIGNED}; q=0.0, application/json`, false],
    [`${SIGNED}x`, false],
    ['*/*', false],
  ])('introspection for %s (RFC 9110 §12.5.1)', async (accept, isSigned) => {
    const headers = { ...basic(client), accept };
    const response = await postForm(api, '/oauth/v2/introspect', { token: 'x' }, headers);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']?.toString().startsWith(SIGNED)).toBe(isSigned);
  });

  it('errors stay JSON', async () => {
    const headers = { ...basic({ ...client, clientSecret: 'wrong' }), accept: SIGNED };
    const refused = await postForm(api, '/oauth/v2/introspect', { token: 'x' }, headers);
    expectOAuthError(refused, 401, 'invalid_client');
  });
});
