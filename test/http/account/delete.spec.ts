import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ComposeMessages } from '../../../src/domain/notifications/compose-messages.js';
import { NotificationSettings } from '../../../src/domain/notifications/notification-settings.js';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import type { NotificationId } from '../../../src/domain/shared/ids.js';
import { MailRenderer } from '../../../src/mails/mail-renderer.js';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, userinfo } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const PATH = '/account/delete';
const { api, world } = useWorld();
const client = given(() => anApplication(world));
let user: TestUser;
let browser: AccountBrowser;

beforeAll(() => world.allowRegister(false, { allowAccountDeletion: true }));

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

async function stateOf({ userId }: TestUser): Promise<string | undefined> {
  const { rows } = await api.sql.query<{ state: string }>('SELECT state FROM users WHERE id = $1', [userId]);
  return rows[0]?.state;
}

async function giveRole({ userId, orgId }: TestUser, role: string): Promise<void> {
  const place = role.startsWith('IAM_') ? null : orgId;
  await api.sql.query(
    `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
    [userId, orgId, role, place],
  );
}

/** As the worker that sends it would write it. */
async function lastMail() {
  const { rows } = await api.sql.query<{ id: NotificationId }>(
    `SELECT id FROM notifications WHERE template = 'account_deleted' AND state = 'pending' AND user_id IS NULL`,
  );
  const claim = await api.app.get(NotificationsStore).claim(rows[0]?.id as NotificationId, ['email'], 1_000);
  if (claim.kind !== 'claimed') throw new Error(`no mail: ${claim.kind}`);
  const { notification } = claim;
  const composing = new ComposeMessages(api.app.get(NotificationSettings), new MailRenderer());
  return composing.mail(notification, notification.code);
}

const remove = async (who: AccountBrowser, { userName }: TestUser) =>
  await who.fill(PATH, { confirmation: userName });

describe('deleting one’s own account', () => {
  it('erases the person, ends every access and is in the log', async () => {
    const tokens = await obtainTokens(api, client, user);
    const elsewhere = await AccountBrowser.signedIn(api, user);
    expect((await browser.get('/account')).body).toContain(`href="${PATH}"`);
    const done = await remove(browser, user);
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Your account is deleted');
    expect(await stateOf(user)).toBe('deleted');
    const { rows } = await api.sql.query(
      `SELECT (SELECT count(*)::int FROM user_humans WHERE user_id = $1) AS humans,
              (SELECT count(*)::int FROM sessions WHERE user_id = $1 AND ended_at IS NULL) AS sessions,
              (SELECT actor_id FROM events WHERE aggregate_id = $1 AND type = 'user.removed') AS actor`,
      [user.userId],
    );
    expect(rows).toEqual([{ humans: 0, sessions: 0, actor: user.userId }]);
    const { to, subject, text } = await lastMail();
    expect(to).toBe(`${user.userName}@mail.test`);
    expect(subject).toContain('was deleted');
    expect(text).toMatch(/^Hello Ada Lovelace,/);
    expect(text).toContain('contact the people who manage the accounts');
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    for (const left of [browser, elsewhere]) {
      expect((await left.get('/account')).headers.location).toBe('/login?destination=account');
    }
    expect((await new AccountBrowser(api).signInHere(user)).statusCode).toBe(400);
  });

  it('is not done without the name, nor with another one', async () => {
    for (const confirmation of ['', 'delete', `${user.userName}x`]) {
      const refused = await browser.fill(PATH, { confirmation });
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('href="#confirmation"');
    }
    expect(await stateOf(user)).toBe('active');
  });

  it('takes a fresh proof', async () => {
    const fields = await browser.fieldsOf(PATH);
    await api.advance(700);
    const confirm = `/account/confirm?next=${encodeURIComponent(PATH)}`;
    expect((await browser.get(PATH)).headers.location).toBe(confirm);
    const stale = await browser.post(PATH, { ...fields, confirmation: user.userName });
    expect(stale.headers.location).toBe(confirm);
    expect(await stateOf(user)).toBe('active');
  });

  it('is there only where the organization allows it, also for a page that was opened earlier', async () => {
    const other = await anOrganization(api);
    const theirs = await aUser(other);
    const visitor = await AccountBrowser.signedIn(api, theirs);
    expect((await visitor.get('/account')).body).not.toContain(PATH);
    expect((await visitor.get(PATH)).headers.location).toBe('/account');
    await other.allowRegister(false, { allowAccountDeletion: true });
    const fields = await visitor.fieldsOf(PATH);
    await other.allowRegister(false);
    const refused = await visitor.post(PATH, { ...fields, confirmation: theirs.userName });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('does not let people delete their accounts');
    expect(await stateOf(theirs)).toBe('active');
  });

  it.each([
    ['ORG_OWNER', 'You are the last owner of an organization.'],
    ['IAM_OWNER', 'You are the last owner of this service.'],
  ])('is refused to the last %s, with the reason', async (role, reason) => {
    const home = await anOrganization(api);
    await home.allowRegister(false, { allowAccountDeletion: true });
    const [first, second] = [await aUser(home), await aUser(home)];
    await giveRole(first, role);
    const last = await AccountBrowser.signedIn(api, first);
    const refused = await remove(last, first);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain(reason);
    expect(await stateOf(first)).toBe('active');
    await giveRole(second, role);
    expect((await remove(last, first)).statusCode).toBe(200);
    // nobody else is there any more
    expect((await remove(await AccountBrowser.signedIn(api, second), second)).statusCode).toBe(400);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['deleted', 'active']);
    await api.sql.query(`DELETE FROM memberships WHERE user_id = $1`, [second.userId]);
  });

  it('leaves one of the last two owners who go at once', async () => {
    const home = await anOrganization(api);
    await home.allowRegister(false, { allowAccountDeletion: true });
    const owners = [await aUser(home), await aUser(home)];
    const browsers = [];
    for (const owner of owners) {
      await giveRole(owner, 'ORG_OWNER');
      browsers.push(await AccountBrowser.signedIn(api, owner));
    }
    const forms = await Promise.all(browsers.map((each) => each.fieldsOf(PATH)));
    const answers = await Promise.all(
      browsers.map((each, at) => each.post(PATH, { ...forms[at], confirmation: owners[at]?.userName ?? '' })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    const states = await Promise.all(owners.map(stateOf));
    expect(states.sort()).toEqual(['active', 'deleted']);
  });

  it('is done once by tabs that press at once', async () => {
    const fields = { ...(await browser.fieldsOf(PATH)), confirmation: user.userName };
    const answers = await Promise.all(Array.from({ length: 4 }, () => browser.post(PATH, fields)));
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS count FROM events WHERE aggregate_id = $1 AND type = 'user.removed'`,
      [user.userId],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });
});
