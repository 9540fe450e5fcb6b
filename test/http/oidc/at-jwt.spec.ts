import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { basic, obtainTokens, requestToken, userinfo } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
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
