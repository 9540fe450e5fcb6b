import { expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { stopClockOfLimits } from '../../support/rate-limits.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// security I7: Redis is not on the path of a sign-in. Nothing listens on this port, and the limits are switched on.

const { api, world } = useWorld({
  REDIS_URL: 'redis://127.0.0.1:1',
  RATE_LIMIT_TOKEN: '60',
  RATE_LIMIT_SIGN_IN: '60',
  RATE_LIMIT_KEYS: '600',
});
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

it('signs in, refreshes, answers userinfo and serves keys while Redis is away', async () => {
  const tokens = await obtainTokens(api, client, user);
  expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
  const refreshed = await refreshTokens(api, client, tokens);
  expect(refreshed.statusCode).toBe(200);
  expect((await api.app.inject('/oauth/v2/keys')).statusCode).toBe(200);
  expect((await api.app.inject('/debug/ready')).statusCode).toBe(200);
});

it('still limits failures, each replica for itself', async () => {
  stopClockOfLimits(api);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 62; attempt += 1) {
    statuses.push((await refreshTokens(api, client, { refresh_token: 'rt_wrong' })).statusCode);
  }
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(60);
  const refused = await refreshTokens(api, client, { refresh_token: 'rt_wrong' });
  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});
