import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  basic,
  obtainTokens,
  refreshTokens,
  requestToken,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { EXCHANGE, EXCHANGING, introspected, subject, TYPES } from './support/exchanges.js';

const { api, world } = useWorld();
const user = given(() => aUser(world));

describe('an access token that says what it is (RFC 9068 §2.1)', () => {
  const app = given(() =>
    anApplication(world, { accessTokenType: 'jwt', accessTokenAtJwt: true, grantTypes: EXCHANGING }),
  );

  it('has a type of its own, and the ID token beside it has not', async () => {
    const tokens = await obtainTokens(api, app, user);
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' });
    expect(decodeProtectedHeader(tokens.id_token).typ).toBe('JWT');
  });

  it('has every claim that such a token must have, and those that say how its user signed in (§2.2)', async () => {
    const begun = Math.floor(Date.now() / 1000);
    const tokens = await obtainTokens(api, app, user);
    const refreshed = (await refreshTokens(api, app, tokens)).json<TokenAnswer>();
    const exchange = {
      grant_type: EXCHANGE,
      ...subject(tokens.access_token),
      requested_token_type: TYPES.jwt,
    };
    const exchanged = (await requestToken(api, exchange, basic(app))).json<TokenAnswer>();
    const all: JWTPayload[] = [];
    for (const { access_token: token, expires_in: lifetime, scope } of [tokens, refreshed, exchanged]) {
      const claims = await verified(token);
      expect(claims).toMatchObject({
        iss: 'https://id.test',
        sub: user.userId,
        aud: expect.arrayContaining([app.clientId]) as unknown,
        client_id: app.clientId,
        jti: expect.stringMatching(/^[\w.-]{20,}$/) as unknown,
        scope,
        amr: ['pwd'],
        acr: expect.any(String) as unknown,
      });
      expect(claims.iat).toBeGreaterThanOrEqual(begun);
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(lifetime);
      expect(claims['auth_time']).toBeGreaterThanOrEqual(begun);
      all.push(claims);
    }
    expect(new Set(all.map(({ jti }) => jti)).size).toBe(3);
  });

  /** As an API checks one, by the published keys alone (RFC 9068 §4). */
  async function verified(token: string): Promise<JWTPayload> {
    const { payload } = await verifyJwt(api, token, {
      audience: app.clientId,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'sub', 'client_id', 'iat', 'jti'],
    });
    return payload;
  }

  it('is good wherever one is taken', async () => {
    const { access_token: token } = await obtainTokens(api, app, user);
    expect((await userinfo(api, token)).json()).toMatchObject({ sub: user.userId });
    expect(await introspected(api, app, token)).toMatchObject({ active: true, sub: user.userId });
    const exchange = { grant_type: EXCHANGE, ...subject(token) };
    expect((await requestToken(api, exchange, basic(app))).statusCode).toBe(200);
  });

  it('is no ID token', async () => {
    const { access_token: token } = await obtainTokens(api, app, user);
    const exchange = { grant_type: EXCHANGE, ...subject(token, TYPES.id) };
    expect((await requestToken(api, exchange, basic(app))).json()).toMatchObject({
      error: 'invalid_request',
    });
  });
});

it('is a matter of the application: without it the type is JWT', async () => {
  const app = await anApplication(world, { accessTokenType: 'jwt' });
  const { access_token: token } = await obtainTokens(api, app, user);
  expect(decodeProtectedHeader(token).typ).toBe('JWT');
});
