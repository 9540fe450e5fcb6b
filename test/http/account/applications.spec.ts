import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PATH = '/account/applications';
const { api, world } = useWorld();
const client = given(() => anApplication(world));
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

async function applicationId({ clientId }: TestClient): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM applications WHERE client_id = $1`, [
    clientId,
  ]);
  return rows[0]?.id ?? '';
}

async function refresh(tokens: TokenAnswer): Promise<number> {
  return (await refreshTokens(api, client, tokens)).statusCode;
}

async function consent(owner: TestUser, application: string): Promise<void> {
  await api.sql.query(
    `INSERT INTO consents (user_id, application_id, org_id, access) VALUES ($1, $2, $3, 'organization')`,
    [owner.userId, application, owner.orgId],
  );
}

describe('the applications of an account', () => {
  it('are none at first', async () => {
    expect((await browser.get(PATH)).body).toContain('No application has access to your account.');
    expect((await browser.get('/account')).body).toContain('No application has access to your account.');
  });

  it('are those that hold tokens and those that were consented to, with whose they are', async () => {
    await obtainTokens(api, client, user);
    const other = await anApplication(world);
    await consent(user, await applicationId(other));
    const { body } = await browser.get(PATH);
    expect(body.match(/name="target"/g)).toHaveLength(2);
    expect(body).toContain(`value="${await applicationId(client)}"`);
    expect(body).toContain('Keeps access while you are away');
    expect(body).toContain('Does in your name whatever you can do in the administration of');
    expect(body).toContain(`Org ${world.domain}`);
    expect((await browser.get('/account')).body).toContain('2 applications have access.');
  });

  it('are not listed for a session that has ended, but for what was left to them', async () => {
    await obtainTokens(api, client, user, { scope: 'openid' });
    await obtainTokens(api, await anApplication(world), user);
    await api.sql.query(
      `UPDATE sessions SET ended_at = app_now(), end_reason = 'logout' WHERE user_id = $1`,
      [user.userId],
    );
    await browser.signInHere(user);
    const { body } = await browser.get(PATH);
    expect(body.match(/name="target"/g)).toHaveLength(1);
    expect(body).not.toContain(await applicationId(client));
  });

  it('lose all their tokens and the consent at once, again without a fault, and other applications nothing', async () => {
    const tokens = await obtainTokens(api, client, user);
    const target = await applicationId(client);
    await consent(user, target);
    const other = await anApplication(world);
    const kept = await obtainTokens(api, other, user);
    const fields = { ...(await browser.fieldsOf(PATH)), target };
    const answers = await Promise.all(Array.from({ length: 4 }, () => browser.post(PATH, fields)));
    expect(answers.map(({ headers }) => headers.location)).toEqual(Array(4).fill(`${PATH}?done=application`));
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect(await refresh(tokens)).toBe(400);
    expect((await userinfo(api, kept.access_token)).statusCode).toBe(200);
    const { rows } = await api.sql.query(
      `SELECT (SELECT count(*)::int FROM consents WHERE user_id = $1) AS consents,
              (SELECT array_agg(DISTINCT e.data ->> 'reason') FROM events e JOIN authorizations g ON g.id = e.aggregate_id
               WHERE g.user_id = $1 AND e.type = 'grant.revoked') AS reasons,
              (SELECT count(*)::int FROM events WHERE type = 'consent.withdrawn' AND aggregate_id = $2) AS withdrawn`,
      [user.userId, `${user.userId} ${target}`],
    );
    expect(rows).toEqual([{ consents: 0, reasons: ['disconnected_by_user'], withdrawn: 1 }]);
    expect((await browser.get(PATH)).body).not.toContain(target);
  });

  it('are one’s own: nobody takes from another user', async () => {
    const stranger = await aUser(world);
    const theirs = await obtainTokens(api, client, stranger);
    await obtainTokens(api, client, user);
    await browser.fill(PATH, { target: await applicationId(client) });
    expect((await userinfo(api, theirs.access_token)).statusCode).toBe(200);
  });

  it.each(['none-such', '', 'x'.repeat(300)])('are not those of an id that is none: %s', async (target) => {
    await obtainTokens(api, client, user);
    expect((await browser.fill(PATH, { target })).statusCode).toBe(303);
  });
});
