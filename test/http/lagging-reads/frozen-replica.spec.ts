import { afterAll, describe, expect, it } from 'vitest';
import { frozenReads } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// A replica that stopped before anything happened: what people look through is empty, all that decides is not.

let drop: (() => Promise<void>) | undefined;
const { api, world } = useWorld(async () => {
  const frozen = await frozenReads();
  drop = () => frozen.drop();
  return frozen.setting;
});
afterAll(() => drop?.());
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

async function listed(path: string, body: object = {}): Promise<number> {
  const answer = await call(api, 'POST', path, { pat: owner.pat, body });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ result?: unknown[] }>().result?.length ?? 0;
}

describe('with a replica that has stopped in the past', () => {
  it('what people look through shows the past', async () => {
    expect(await listed('users/_search')).toBe(0);
    expect(await listed('notifications/_search')).toBe(0);
    const list = await call(api, 'GET', 'users', { pat: owner.pat });
    expect(list.json()).toMatchObject({ result: [] });
    await importHuman(api, owner.pat, record());
    expect(await listed('events/_search', { query: { asc: false } })).toBe(0);
  });

  it('who follows the events misses none', async () => {
    await importHuman(api, owner.pat, record());
    expect(await listed('events/_search', { query: { asc: true } })).toBeGreaterThan(0);
  });

  it('sign-in, refresh, introspection and revocation see the present', async () => {
    const tokens = await obtainTokens(api, client, user);
    const answer = await refreshTokens(api, client, tokens);
    const { access_token: token } = answer.json<TokenAnswer>();
    expect((await userinfo(api, token)).statusCode).toBe(200);
    const locked = await call(api, 'POST', `users/${user.userId}/_lock`, { pat: owner.pat, body: {} });
    expect(locked.statusCode, locked.body).toBe(200);
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });

  it('a name that was just taken is taken, and one thing is found at once', async () => {
    const body = record();
    const made = await call(api, 'POST', 'users/human/_import', { pat: owner.pat, body });
    expect(made.statusCode).toBe(200);
    const { userId } = made.json<{ userId: string }>();
    expect((await call(api, 'GET', `users/${userId}`, { pat: owner.pat })).statusCode).toBe(200);
    const again = await call(api, 'POST', 'users/human/_import', { pat: owner.pat, body });
    expect(again.statusCode).toBe(409);
  });
});
