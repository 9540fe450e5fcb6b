import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { KeyRing } from '../../src/domain/keys/key-ring.js';
import { startTestApi, type TestApi } from '../support/api.js';
import { basic, obtainTokens, requestToken, type TokenAnswer } from '../support/browser-flow.js';
import { World } from '../support/world.js';

const run = promisify(execFile);
const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** `npm run rewrap-keys`, as an operator runs it. */
async function rewrap(api: TestApi, keys: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...api.environment, ...keys };
  const { stdout } = await run(process.execPath, [path.join(DIST, 'src/cli/rewrap-keys.js')], { env });
  return stdout;
}

const introspect = async (at: TestApi, token: string, headers: Record<string, string>) =>
  await at.app.inject({
    method: 'POST',
    url: '/oauth/v2/introspect',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token }).toString(),
  });

it('a new master key opens all that the old one sealed, and the old one is needed no longer', async () => {
  const first = await startTestApi({ MASTER_KEY: OLD, SMTP_URL: 'smtp://127.0.0.1:9' });
  const running: TestApi[] = [];
  try {
    const world = await World.create(first);
    const client = await world.addClient({});
    const user = await world.addUser();
    const before = await obtainTokens(first, client, user);
    const kid = (await first.app.get(KeyRing).currentSigner()).kid;
    const sealed = async () =>
      (
        await first.sql.query<{ kind: string }>(
          `SELECT 'key' AS kind FROM signing_keys WHERE private_sealed IS NOT NULL
           UNION ALL SELECT 'token key' FROM token_keys`,
        )
      ).rows.length;
    expect(await sealed()).toBe(2);

    const both = { MASTER_KEY: NEW, MASTER_KEY_PREVIOUS: OLD };
    running.push(await startTestApi(both, first));
    expect(await rewrap(first, both)).toContain('Wrapped 1 data key(s) anew.');
    expect(await rewrap(first, both)).toContain('Every data key is wrapped by MASTER_KEY already.');

    // without the old one anywhere
    const fresh = await startTestApi({ MASTER_KEY: NEW }, first);
    running.push(fresh);
    expect((await fresh.app.get(KeyRing).currentSigner()).kid).toBe(kid);
    expect((await introspect(fresh, before.access_token, basic(client))).json()).toMatchObject({
      active: true,
    });
    const form = { grant_type: 'refresh_token', refresh_token: before.refresh_token };
    const renewed = (await requestToken(fresh, form, basic(client))).json<TokenAnswer>();
    // processes that were started before go on
    for (const replica of [first, ...running]) {
      const answer = await introspect(replica, renewed.access_token, basic(client));
      expect(answer.json()).toMatchObject({ active: true });
    }
    await expect(startTestApi({ MASTER_KEY: OLD }, first)).rejects.toThrow('MASTER_KEY');
    await expect(rewrap(first, { MASTER_KEY: OLD })).rejects.toThrow('MASTER_KEY');
  } finally {
    for (const replica of running) await replica.close();
    await first.close();
  }
});
