import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const DAY = 86_400;

const { api, world } = useWorld();
const strict = useReplica(api, { REFRESH_TOKEN_GRACE: '0s' });
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

const refresh = (token: string, at = api) => refreshTokens(at, client, { refresh_token: token });

describe('without a grace window', () => {
  it('the second use is a replay at once', async () => {
    const first = await obtainTokens(strict, client, user);
    const second = (await refresh(first.refresh_token, strict)).json<TokenAnswer>();
    expectOAuthError(await refresh(first.refresh_token, strict), 400, 'invalid_grant');
    expectOAuthError(await refresh(second.refresh_token, strict), 400, 'invalid_grant');
    expect((await userinfo(strict, second.access_token)).statusCode).toBe(401);
  });

  it('fifty at once give one success and end the family', async () => {
    const first = await obtainTokens(strict, client, user);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => refresh(first.refresh_token, strict)),
    );
    const successes = responses.filter((response) => response.statusCode === 200);
    expect(successes).toHaveLength(1);
    const tokens = successes[0]?.json<TokenAnswer>();
    expectOAuthError(await refresh(tokens?.refresh_token ?? '', strict), 400, 'invalid_grant');
  });

  // a window that another replica left open is not honoured by one that has none
  it('keeps no successor that could be handed out', async () => {
    const first = await obtainTokens(strict, client, user);
    await refresh(first.refresh_token, strict);
    expectOAuthError(await refresh(first.refresh_token, api), 400, 'invalid_grant');
  });
});

// time only moves on, so these stand in the order of their length
describe('a refresh token', () => {
  it('ends after 30 days in which nobody used it', async () => {
    const used = await obtainTokens(api, client, user);
    const idle = await obtainTokens(api, client, user);
    await api.advance(29 * DAY);
    const later = (await refresh(used.refresh_token)).json<TokenAnswer>();
    await api.advance(2 * DAY);
    expectOAuthError(await refresh(idle.refresh_token), 400, 'invalid_grant');
    expect((await refresh(later.refresh_token)).statusCode).toBe(200);
  });

  it('ends after 90 days however often it was used (S092)', async () => {
    let tokens = await obtainTokens(api, client, user);
    for (let day = 20; day <= 80; day += 20) {
      await api.advance(20 * DAY);
      tokens = (await refresh(tokens.refresh_token)).json<TokenAnswer>();
    }
    await api.advance(9 * DAY);
    tokens = (await refresh(tokens.refresh_token)).json<TokenAnswer>();
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    await api.advance(DAY + 60);
    expectOAuthError(await refresh(tokens.refresh_token), 400, 'invalid_grant');
  });
});

describe('an access token', () => {
  it.each(['opaque', 'jwt'] as const)('ends after 12 hours: %s', async (accessTokenType) => {
    const own = await anApplication(await anOrganization(api), { accessTokenType });
    const { access_token: token } = await obtainTokens(api, own, user);
    await api.advance(43_100);
    expect((await userinfo(api, token)).statusCode).toBe(200);
    await api.advance(101);
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });
});
