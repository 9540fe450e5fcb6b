import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/api.js';
import {
  basic,
  codeRequest,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  type TokenAnswer,
  userinfo,
} from '../../support/browser-flow.js';
import { type TestClient, type TestUser, World } from '../../support/world.js';

let one: TestApi;
let two: TestApi;
let client: TestClient;
let user: TestUser;

beforeAll(async () => {
  one = await startTestApi();
  two = await startTestApi({}, one);
  const world = await World.create(one);
  client = await world.addClient();
  user = await world.addUser();
});
afterAll(async () => {
  await two.close();
  await one.close();
});

describe('a code redeemed 50 times at once over two replicas (S077)', () => {
  it('gives one success, whose tokens the replays end', async () => {
    const answered = await new TestBrowser(one).signIn(codeRequest(client), user);
    const form = redemption(redirected(answered).get('code') ?? '');
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => requestToken(n % 2 === 0 ? one : two, form, basic(client))),
    );
    const successes = responses.filter((response) => response.statusCode === 200);
    expect(successes).toHaveLength(1);
    for (const response of responses) {
      if (response.statusCode === 200) continue;
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ error: 'invalid_grant' });
    }
    const tokens = successes[0]?.json<TokenAnswer>();
    const { rows } = await one.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM refresh_tokens`);
    expect(rows[0]?.n).toBe(1);
    for (const replica of [one, two]) {
      expect((await userinfo(replica, tokens?.access_token ?? '')).statusCode).toBe(401);
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens?.refresh_token ?? '' };
      const refused = await requestToken(replica, refresh, basic(client));
      expect(refused.json()).toMatchObject({ error: 'invalid_grant' });
    }
  });
});
