import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PATH = '/account/sessions';
const SIGN_IN = '/login?destination=account';
const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

async function sessionOf(other: AccountBrowser, { userId }: TestUser): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>(
    `SELECT s.id FROM sessions s JOIN user_agents a ON a.id = s.user_agent_id
     WHERE s.user_id = $1 AND a.secret_hash = sha256($2::bytea)`,
    [userId, Buffer.from(other.userAgentSecret ?? '')],
  );
  return rows[0]?.id ?? '';
}

async function isIn(other: AccountBrowser): Promise<boolean> {
  return (await other.get('/account')).statusCode === 200;
}

describe('the browsers of an account', () => {
  it('are listed with what each is and when it was used; this one is told apart and cannot be ended here', async () => {
    await api.advance(7200);
    const phone = new AccountBrowser(api);
    await phone.signInHere(user);
    const { rows } = await api.sql.query<{ id: string }>(
      `UPDATE sessions SET device = 'Safari, iPhone' WHERE user_id = $1 AND id <> $2 RETURNING id`,
      [user.userId, await sessionOf(phone, user)],
    );
    const { body } = await phone.get(PATH);
    expect(body).toContain('Safari, iPhone');
    expect(body).toContain('2 hours ago');
    expect(body.match(/name="target"/g)).toHaveLength(1);
    expect(body).toContain(`value="${rows[0]?.id}"`);
    expect(body.indexOf('This browser')).toBeLessThan(body.indexOf('Safari, iPhone'));
    expect((await phone.get('/account')).body).toContain('Signed in with 2 browsers.');
  });

  it('are signed out one by one, with what applications hold of them, and again without a fault', async () => {
    const [second, third] = [
      await AccountBrowser.signedIn(api, user),
      await AccountBrowser.signedIn(api, user),
    ];
    const target = await sessionOf(second, user);
    const fields = { ...(await browser.fieldsOf(PATH)), target };
    for (const _time of [1, 2]) {
      expect((await browser.post(PATH, fields)).headers.location).toBe(`${PATH}?done=session`);
    }
    expect([await isIn(browser), await isIn(second), await isIn(third)]).toEqual([true, false, true]);
    const { rows } = await api.sql.query(
      `SELECT e.actor_id, e.data ->> 'reason' AS reason FROM events e WHERE e.aggregate_id = $1 AND e.type = 'session.ended'`,
      [target],
    );
    expect(rows).toEqual([{ actor_id: user.userId, reason: 'ended_by_request' }]);
  });

  it('are signed out all but this one', async () => {
    const others = [await AccountBrowser.signedIn(api, user), await AccountBrowser.signedIn(api, user)];
    const { target: _target, ...fields } = await browser.fieldsOf(PATH);
    expect((await browser.post(PATH, fields)).headers.location).toBe(`${PATH}?done=sessions`);
    expect(await isIn(browser)).toBe(true);
    for (const other of others) expect((await other.get('/account')).headers.location).toBe(SIGN_IN);
    expect((await browser.get(`${PATH}?done=sessions`)).body).not.toContain('id="end-others"');
  });

  it('are one’s own alone: no other user’s session ends by its id', async () => {
    const stranger = await aUser(world);
    const theirs = await AccountBrowser.signedIn(api, stranger);
    await browser.fill(PATH, { target: await sessionOf(theirs, stranger) });
    expect(await isIn(theirs)).toBe(true);
  });

  it('do not count the one that asks: its own id ends nothing', async () => {
    await browser.fill(PATH, { target: await sessionOf(browser, user) });
    expect(await isIn(browser)).toBe(true);
  });

  it('end in one of several tabs that press at once', async () => {
    const second = await AccountBrowser.signedIn(api, user);
    const fields = { ...(await browser.fieldsOf(PATH)), target: await sessionOf(second, user) };
    const answers = await Promise.all(Array.from({ length: 4 }, () => browser.post(PATH, fields)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([303, 303, 303, 303]);
    expect(await isIn(second)).toBe(false);
  });
});
