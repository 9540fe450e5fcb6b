import { describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api: one, world } = useWorld();
const two = useReplica(one);
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

const refresh = (token: string, at: TestApi = one) => refreshTokens(at, client, { refresh_token: token });

async function race(token: string): Promise<TokenAnswer[]> {
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => refresh(token, n % 2 === 0 ? one : two)),
  );
  for (const response of responses) expect(response.statusCode).toBe(200);
  return responses.map((response) => response.json<TokenAnswer>());
}

describe('a refresh token used 50 times at once over two replicas', () => {
  it('has one successor, and the lineage goes on from it', async () => {
    let { refresh_token: token } = await obtainTokens(one, client, user);
    // three generations: each race begins where the one before ended
    for (let generation = 0; generation < 3; generation += 1) {
      const answers = await race(token);
      const successors = new Set(answers.map((answer) => answer.refresh_token));
      expect(successors.size).toBe(1);
      expect(successors.has(token)).toBe(false);
      for (const { access_token: accessToken } of answers.slice(0, 3)) {
        expect((await userinfo(two, accessToken)).statusCode).toBe(200);
      }
      token = [...successors][0] ?? '';
    }
    const { rows } = await one.sql.query<{ unused: number; all: number }>(
      `SELECT count(*) FILTER (WHERE used_at IS NULL)::int AS unused, count(*)::int AS all FROM refresh_tokens`,
    );
    expect(rows[0]).toEqual({ unused: 1, all: 4 });
  });

  it('and its successor at the same time: nobody gets a sibling', async () => {
    const first = await obtainTokens(one, client, user);
    const second = (await refresh(first.refresh_token)).json<TokenAnswer>();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        refresh(n % 2 === 0 ? first.refresh_token : second.refresh_token, n % 4 < 2 ? one : two),
      ),
    );
    const issued = new Set(
      responses
        .filter((response) => response.statusCode === 200)
        .map((response) => response.json<TokenAnswer>().refresh_token),
    );
    for (const response of responses) expect([200, 400]).toContain(response.statusCode);
    // the second token, handed out again, and at most its one successor
    expect(issued.size).toBeLessThanOrEqual(2);
    const { rows } = await one.sql.query<{ n: number }>(
      `SELECT max(n)::int AS n FROM (SELECT count(*) AS n FROM refresh_tokens WHERE used_at IS NULL GROUP BY authorization_id) c`,
    );
    expect(rows[0]?.n).toBe(1);
  });
});
