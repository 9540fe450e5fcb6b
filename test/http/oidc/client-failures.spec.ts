import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/ops/metrics.js';
import { aReplica } from '../../support/api.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted } from '../../support/assertions.js';
import {
  basic,
  codeRequest,
  obtainTokens,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { redisUrl } from '../../support/redis.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { dumpRedis } from '../../workers/support/redis-server.js';
import { expectOAuthError } from './support/answers.js';

/** Everybody in these tests sits behind this address, unless they say otherwise. */
const OFFICE = '192.0.2.20';
const BAD_REFRESH = refreshRequest('rt_wrong');

async function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
  remoteAddress = OFFICE,
  to = api,
): Promise<LightMyRequestResponse> {
  return await postForm(to, `/oauth/v2/${path}`, form, headers, remoteAddress);
}
const header = (text: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
});
const wrongSecret = (client: TestClient) => header(`${client.clientId}:wrong`);

async function times(count: number, send: () => Promise<LightMyRequestResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let done = 0; done < count; done += 50) {
    const some = Array.from({ length: Math.min(50, count - done) }, send);
    statuses.push(...(await Promise.all(some)).map(({ statusCode }) => statusCode));
  }
  return statuses;
}
const of = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

/** As many as the limit allows; one or two more where the minute turned meanwhile. */
function expectLimit(statuses: readonly number[], status: number): void {
  expect(of(statuses, status)).toBeGreaterThanOrEqual(60);
  expect(of(statuses, status)).toBeLessThanOrEqual(63);
  expect(of(statuses, status) + of(statuses, 429)).toBe(statuses.length);
}

/** Every call that a client makes with what is its own, once; gives the statuses. */
async function allCalls(client: TestClient, at = api): Promise<Record<string, number>> {
  const tokens = await obtainTokens(at, client, user);
  const refreshed = await post('token', refreshRequest(tokens.refresh_token), basic(client), OFFICE, at);
  const { access_token: token } = refreshed.json<{ access_token: string }>();
  const introspected = await post('introspect', { token }, basic(client), OFFICE, at);
  const told = await at.app.inject({
    url: '/oidc/v1/userinfo',
    remoteAddress: OFFICE,
    headers: { authorization: `Bearer ${token}` },
  });
  const revoked = await post('revoke', { token }, basic(client), OFFICE, at);
  return {
    token: refreshed.statusCode,
    introspection: introspected.json<{ active: boolean }>().active ? introspected.statusCode : 0,
    userinfo: told.statusCode,
    revocation: revoked.statusCode,
  };
}
const ALL_WELL = { token: 200, introspection: 200, userinfo: 200, revocation: 200 };

const { api, world } = useWorld({ RATE_LIMIT_TOKEN: '60' });
const hostile = given(() => anApplication(world));
const neighbour = given(() => anApplication(world));
const asserting = given(() => anAssertingApplication(world));
const spa = given(() => aPublicApplication(world));
const user = given(() => aUser(world));

describe('S188: requests without valid credentials', () => {
  it('S188: a thousand from no known client do not affect any call of other clients behind that address', async () => {
    const nameless = await times(300, () => post('token', BAD_REFRESH));
    expectLimit(nameless, 401);
    let made = 0;
    const madeUp = await times(700, () => post('introspect', { token: 'x' }, header(`9${(made += 1)}:x`)));
    expect(of(madeUp, 401)).toBeGreaterThanOrEqual(600);
    expect(of(madeUp, 429)).toBeGreaterThan(0);
    await times(400, () => post('revoke', { token: 'x', client_id: `nobody-${(made += 1)}` }));
    expect(await allCalls(neighbour)).toEqual(ALL_WELL);
    // and an honest mistake of theirs is still told as what it is
    expectOAuthError(await post('token', BAD_REFRESH, basic(neighbour)), 400, 'invalid_grant');
  });

  it('S188: guesses at a client’s secret, from its own address, do not lock it out', async () => {
    const statuses = await times(500, () => post('token', BAD_REFRESH, wrongSecret(neighbour)));
    expectLimit(statuses, 401);
    const refused = await post('token', BAD_REFRESH, wrongSecret(neighbour));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expectOAuthError(refused, 429, 'temporarily_unavailable');
    expect(await allCalls(neighbour)).toEqual(ALL_WELL);
  });

  it('S188: nor do forged assertions lock out a client with keys', async () => {
    const signed = await asserted(asserting);
    const forged = {
      ...BAD_REFRESH,
      ...signed,
      client_assertion: `${(signed['client_assertion'] ?? '').slice(0, -8)}AAAAAAAA`,
    };
    await times(200, () => post('token', forged));
    expectOAuthError(await post('token', forged), 429, 'temporarily_unavailable');
    const good = { ...(await asserted(asserting)), ...BAD_REFRESH };
    expectOAuthError(await post('token', good), 400, 'invalid_grant');
  });

  it('S188: public clients with one name behind one address: valid requests are answered', async () => {
    const home = '192.0.2.23';
    const { verifier, challenge } = pkce();
    const code = redirected(await new TestBrowser(api).signIn(codeRequest(spa, challenge), user)).get('code');
    const bad = { ...BAD_REFRESH, client_id: spa.clientId };
    const statuses = await times(100, () => post('token', bad, {}, home));
    expectLimit(statuses, 400);
    const good = redemption(code ?? '', { client_id: spa.clientId, code_verifier: verifier });
    expect((await post('token', good, {}, home)).statusCode).toBe(200);
    // elsewhere the same client has failed at nothing
    expectOAuthError(await post('token', bad, {}, '192.0.2.21'), 400, 'invalid_grant');
  });

  it('S188: one address cannot create unlimited counters with made-up names', async () => {
    const counters = async () =>
      (await dumpRedis(redisUrl(), api.config.queues.prefix)).split('rate:').length;
    const before = await counters();
    let made = 0;
    const form = { ...BAD_REFRESH, client_id: 'long'.repeat(3_000) };
    await times(900, () => post('token', BAD_REFRESH, header(`7${(made += 1)}:x`), '192.0.2.22'));
    await post('token', form, {}, '192.0.2.22');
    // some more where the minute turned
    expect((await counters()) - before).toBeLessThanOrEqual(700);
  });

  it('S188: who is answered with 429 does not tell which clients and service users there are', async () => {
    const { pat } = await aServiceUser(world, 'ORG_OWNER');
    const body = { userName: 'robot-hidden', name: 'Robot', accessTokenType: 'ACCESS_TOKEN_TYPE_BEARER' };
    const { userId } = (await call(api, 'POST', 'users/machine', { pat, body })).json<{ userId: string }>();
    await call(api, 'PUT', `users/${userId}/secret`, { pat, body: {} });
    const statusesOf = async (name: string) => {
      const statuses: number[] = [];
      for (let count = 0; count < 70; count += 1) {
        const form = { grant_type: 'client_credentials' };
        statuses.push((await post('token', form, header(`${name}:x`), '192.0.2.24')).statusCode);
      }
      return statuses;
    };
    for (const name of [
      `robot-hidden@${world.domain}`,
      `robot-nobody@${world.domain}`,
      hostile.clientId,
      '99',
    ]) {
      const statuses = await statusesOf(name);
      expectLimit(statuses, 401);
    }
  });
});

describe('S189: failures of clients', () => {
  it('S189: only a client above its own limit gets 429, and only for requests that fail', async () => {
    const statuses = await times(1_000, () => post('token', BAD_REFRESH, basic(hostile)));
    expectLimit(statuses, 400);
    // it is the client's, whatever the address
    expect((await post('token', BAD_REFRESH, basic(hostile), '198.51.100.7')).statusCode).toBe(429);
    expect(await allCalls(neighbour)).toEqual(ALL_WELL);
    // a user of the application can make it fail by a made-up code: the others still sign in
    expect(await allCalls(hostile)).toEqual(ALL_WELL);
  });

  it('S189: guesses from many addresses are answered, with one event for the organization an hour', async () => {
    const { pat } = await aServiceUser(world, 'ORG_OWNER');
    const body = { userName: 'robot-guessed', name: 'Robot', accessTokenType: 'ACCESS_TOKEN_TYPE_BEARER' };
    const { userId } = (await call(api, 'POST', 'users/machine', { pat, body })).json<{ userId: string }>();
    await call(api, 'PUT', `users/${userId}/secret`, { pat, body: {} });
    const victim = await anApplication(world);
    const robot = { grant_type: 'client_credentials' };
    let address = 0;
    const from = () => `203.0.113.${(address += 1) % 250}`;
    const guesses = await times(200, () => post('token', BAD_REFRESH, wrongSecret(victim), from()));
    expect(of(guesses, 401)).toBe(200);
    const atRobot = header(`robot-guessed@${world.domain}:wrong`);
    await times(100, () => post('token', robot, atRobot, from()));
    await times(100, () => post('revoke', { token: 'x' }, atRobot, from()));
    const events = async () =>
      (
        await api.sql.query<{ aggregate_id: string; org_id: string }>(
          `SELECT aggregate_id, org_id FROM events WHERE type = 'client_guesses.alarm' AND aggregate_id = ANY ($1)
           ORDER BY position`,
          [[victim.clientId, userId]],
        )
      ).rows;
    await expect.poll(async () => (await events()).length).toBe(2);
    expect(await events()).toEqual([
      { aggregate_id: victim.clientId, org_id: world.orgId },
      { aggregate_id: userId, org_id: world.orgId },
    ]);
    const metrics = await api.app.get(Metrics, { strict: false }).render();
    expect(Number(/^identity_client_guesses_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(400);
    expect(Number(/^identity_client_guessing_alarms_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(
      2,
    );
    expect((await post('introspect', { token: 'x' }, basic(victim))).statusCode).toBe(200);
  });

  it('S189: without Redis every replica counts by the same rules', async () => {
    const alone = await aReplica(api, { RATE_LIMIT_TOKEN: '60', REDIS_URL: 'redis://127.0.0.1:1' });
    const own = await times(200, () => post('token', BAD_REFRESH, basic(hostile), OFFICE, alone));
    expectLimit(own, 400);
    const guessed = await times(200, () => post('token', BAD_REFRESH, wrongSecret(neighbour), OFFICE, alone));
    expectLimit(guessed, 401);
    await times(200, () => post('introspect', { token: 'x' }, {}, OFFICE, alone));
    expect(await allCalls(neighbour, alone)).toEqual(ALL_WELL);
    expectOAuthError(await post('token', BAD_REFRESH, basic(neighbour), OFFICE, alone), 400, 'invalid_grant');
  });
});
