import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { aTotpSecret } from '../../support/factors.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

describe('the language', () => {
  const PATH = '/account/language';

  async function languageOf(): Promise<string | null | undefined> {
    const { rows } = await api.sql.query<{ tag: string | null }>(
      'SELECT preferred_language AS tag FROM user_humans WHERE user_id = $1',
      [user.userId],
    );
    return rows[0]?.tag;
  }

  it('counts at once, whatever was chosen for the visit, and can be left to the browser again', async () => {
    expect((await browser.get('/account?language=fr')).body).toContain('<h1>Votre compte</h1>');
    const saved = await browser.fill(PATH, { preferredLanguage: 'de' });
    expect(saved).toMatchObject({ statusCode: 303, headers: { location: '/account?done=language' } });
    expect((await browser.get('/account?done=language')).body).toContain('Ihre Sprache ist gespeichert.');
    expect(await languageOf()).toBe('de');
    await browser.fill(PATH, { preferredLanguage: '' });
    expect(await languageOf()).toBeNull();
    expect((await browser.get('/account')).body).toContain('<h1>Your account</h1>');
  });

  it.each(['xx', 'de<script>', 'x'.repeat(500)])('is one of ours: %s changes nothing', async (tag) => {
    expect((await browser.fill(PATH, { preferredLanguage: tag })).headers.location).toBe(PATH);
    expect(await languageOf()).toBeNull();
  });

  it('keeps a variety of it that the list does not tell apart', async () => {
    await api.sql.query(`UPDATE user_humans SET preferred_language = 'de-CH' WHERE user_id = $1`, [
      user.userId,
    ]);
    await browser.fill(PATH, { preferredLanguage: 'de' });
    expect(await languageOf()).toBe('de-CH');
  });
});

describe('a copy of one’s own data', () => {
  const PATH = '/account/data';

  it('holds what is kept of the person, no secret and nobody else, and is in the log', async () => {
    await obtainTokens(api, await anApplication(world), user);
    const stranger = await aUser(world);
    await AccountBrowser.signedIn(api, stranger);
    await api.sql.query(
      `INSERT INTO user_metadata (org_id, user_id, key, value) VALUES ($1, $2, 'note', 'Marker-note')`,
      [user.orgId, user.userId],
    );
    const copy = await browser.fill(PATH, {});
    expect(copy.statusCode).toBe(200);
    expect(copy.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account-data.json"',
      'cache-control': 'no-store',
    });
    const data: Record<string, unknown> = copy.json();
    expect(data).toMatchObject({
      organization: { id: user.orgId },
      user: { id: user.userId, human: { profile: { firstName: 'Ada' } } },
      metadata: [{ key: 'note', value: Buffer.from('Marker-note').toString('base64') }],
      applications: [{ offline: true }],
      roles: [],
      projectRoles: [],
      passkeys: [],
    });
    expect(data['sessions']).toHaveLength(2);
    expect(data['eventsByYou']).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'grant.opened' })]),
    );
    expect(copy.body).not.toContain(stranger.userId);
    const { rows } = await api.sql.query<{ secret: string }>(
      `SELECT hash AS secret FROM user_passwords WHERE user_id = $1`,
      [user.userId],
    );
    for (const { secret } of rows) expect(copy.body).not.toContain(secret);
    expect(copy.body).not.toContain(browser.userAgentSecret);
    const { rows: events } = await api.sql.query(
      `SELECT actor_id FROM events WHERE aggregate_id = $1 AND type = 'user.data.downloaded'`,
      [user.userId],
    );
    expect(events).toEqual([{ actor_id: user.userId }]);
  });

  it('has kinds and dates of second factors, and no secret', async () => {
    expect((await browser.fill(PATH, {})).json()).toMatchObject({ factors: [], recoveryCodesLeft: 0 });
    const { secret } = await aTotpSecret(api, user.userId);
    const values = [user.orgId, user.userId];
    await api.sql.query(
      `INSERT INTO user_code_factors (org_id, user_id, kind, created_at)
       VALUES ($1, $2, 'email', app_now() + interval '1 second')`,
      values,
    );
    await api.sql.query(
      `INSERT INTO user_recovery_codes (org_id, user_id, hash) VALUES ($1, $2, 'Marker-hash')`,
      values,
    );
    await api.sql.query(`UPDATE sessions SET second_factor_at = app_now() WHERE user_id = $1`, [user.userId]);
    const copy = await browser.fill(PATH, {});
    const createdDate: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(copy.json()).toMatchObject({
      factors: [
        { kind: 'totp', createdDate },
        { kind: 'email', createdDate },
      ],
      recoveryCodesLeft: 1,
    });
    expect(copy.body).not.toContain(secret);
    expect(copy.body).not.toContain('Marker-hash');
  });

  it('has the events to a bound, and says where older ones are left out', async () => {
    const more = async (from: number, to: number): Promise<void> => {
      await api.sql.query(
        `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id)
         SELECT $1, 'user', $2, n, 'user.human.profile.changed', $2 FROM generate_series($3::int, $4::int) AS n`,
        [user.orgId, user.userId, from, to],
      );
    };
    type Copy = { readonly eventsAboutYou: readonly object[]; readonly olderEventsLeftOut: object };
    await more(1_001, 2_100);
    const all: Copy = (await browser.fill(PATH, {})).json();
    expect(all.eventsAboutYou.length).toBeGreaterThanOrEqual(1_100);
    expect(all.olderEventsLeftOut).toEqual({ aboutYou: false, byYou: false });
    await more(2_101, 11_101);
    const newest: Copy = (await browser.fill(PATH, {})).json();
    expect(newest.eventsAboutYou).toHaveLength(10_000);
    expect(newest.olderEventsLeftOut).toEqual({ aboutYou: true, byYou: true });
  });

  it('takes a fresh proof, when the page is opened and when it is asked for', async () => {
    const fields = await browser.fieldsOf(PATH);
    await api.advance(700);
    const confirm = `/account/confirm?next=${encodeURIComponent(PATH)}`;
    expect((await browser.get(PATH)).headers.location).toBe(confirm);
    expect((await browser.post(PATH, fields)).headers.location).toBe(confirm);
    await browser.fill(confirm, { password: PASSWORD });
    expect((await browser.fill(PATH, {})).statusCode).toBe(200);
  });

  it('names nobody who did something to the account but the person', async () => {
    await api.sql.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id)
       VALUES ($1, 'user', $2, 9, 'user.human.profile.changed', 'Marker-manager')`,
      [user.orgId, user.userId],
    );
    const { body } = await browser.fill(PATH, {});
    expect(body).toContain('user.human.profile.changed');
    expect(body).not.toContain('Marker-manager');
  });

  it('is given a few times a minute', async () => {
    const fields = await browser.fieldsOf(PATH);
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await browser.post(PATH, fields)).statusCode);
    expect(statuses).toContain(429);
  });
});
