import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api: one, world } = useWorld();
const two = useReplica(one);
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

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
      const refused = await refreshTokens(replica, client, tokens ?? {});
      expect(refused.json()).toMatchObject({ error: 'invalid_grant' });
    }
  });
});
