import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { Authenticator } from '../../support/authenticator.js';
import { hiddenFields, unescapeHtml } from '../../support/browser-flow.js';
import { TestAuthenticator } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const SECURITY = '/account/security';
const NEW_APP = `${SECURITY}/app/new`;
const CODES = `${SECURITY}/recovery-codes`;
const PASSKEYS = `${SECURITY}/passkeys`;
const { api, world } = useWorld();
let user: TestUser;
let browser: AccountBrowser;

beforeEach(async () => {
  user = await aUser(world);
  browser = await AccountBrowser.signedIn(api, user);
});

const secretOn = (page: string): string =>
  (/class="key"[^>]*>([A-Z2-7 ]+)</.exec(page)?.[1] ?? '').replaceAll(' ', '');

async function setUpApp(): Promise<TestAuthenticator> {
  const page = await browser.get(NEW_APP);
  const app = new TestAuthenticator(secretOn(page.body));
  const done = await browser.post(NEW_APP, { ...hiddenFields(page.body), code: app.code(api) });
  expect(done).toMatchObject({ statusCode: 303, headers: { location: `${CODES}?done=app` } });
  return app;
}

async function addPasskey(key = new Authenticator({ origin: 'https://id.test', rpId: 'id.test' })) {
  const fields = await browser.fieldsOf(PASSKEYS);
  const asked = await browser.post(`${PASSKEYS}/challenge`, fields);
  const credential = JSON.stringify(key.register(asked.json()));
  return { credential, fields, added: await browser.post(PASSKEYS, { ...fields, credential }) };
}

/** Where the passkey's own page is. */
async function passkeyPath(): Promise<string> {
  return new RegExp(`href="(${PASSKEYS}/[^"]+)"`).exec((await browser.get(PASSKEYS)).body)?.[1] ?? '';
}

async function mailsTo(): Promise<unknown> {
  const { rows } = await api.sql.query<{ mails: unknown }>(
    'SELECT array_agg(template ORDER BY created_at) AS mails FROM notifications WHERE user_id = $1',
    [user.userId],
  );
  return rows[0]?.mails;
}

describe('an authenticator app', () => {
  it('is set up by a picture or a key and a code, without a script', async () => {
    expect((await browser.get(SECURITY)).body).toContain(`href="${NEW_APP}"`);
    const page = await browser.get(NEW_APP);
    expect(page.body).toMatch(/<div class="qr" role="img"[^>]*><svg /);
    const secret = secretOn(page.body);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    // shown again, it shows the same: what a phone has read already stays good
    expect(secretOn((await browser.get(NEW_APP)).body)).toBe(secret);
    const missing = await browser.post(NEW_APP, hiddenFields(page.body));
    expect(missing.statusCode).toBe(400);
    const wrong = await browser.post(NEW_APP, { ...hiddenFields(page.body), code: '000000' });
    expect(wrong.statusCode).toBe(400);
    expect(secretOn(wrong.body)).toBe(secret);
    const code = new TestAuthenticator(secret).code(api);
    const done = await browser.post(NEW_APP, { ...hiddenFields(page.body), code });
    expect(done.headers.location).toBe(`${CODES}?done=app`);
    const twice = await browser.post(NEW_APP, { ...hiddenFields(page.body), code });
    expect(twice.headers.location).toBe(NEW_APP);
    const next = await browser.get(done.headers.location ?? '');
    expect(next.body).toContain('role="status"');
    expect(next.body).not.toContain(secret);
    const security = await browser.get(SECURITY);
    expect(security.body).toContain(`href="${SECURITY}/app"`);
    expect(security.body).toContain(`href="${CODES}"`);
    expect(await mailsTo()).toEqual(['factor_added']);
  });

  it('is removed', async () => {
    await setUpApp();
    const removed = await browser.fill(`${SECURITY}/app`, {});
    expect(removed.headers.location).toBe(`${SECURITY}?done=appRemoved`);
    expect((await browser.get(`${SECURITY}/app`)).headers.location).toBe(NEW_APP);
    expect(await mailsTo()).toEqual(['factor_added', 'factor_removed']);
  });

  it('is not offered where the organization does not use it', async () => {
    await api.sql.query(
      `INSERT INTO factor_policies (org_id, is_set, second_factor) VALUES ($1, true, 'off')`,
      [world.orgId],
    );
    expect((await browser.get(SECURITY)).body).not.toContain(NEW_APP);
    await api.sql.query('DELETE FROM factor_policies WHERE org_id = $1', [world.orgId]);
  });
});

describe('recovery codes', () => {
  it('are shown once, by the answer of the form alone', async () => {
    await setUpApp();
    const made = await browser.fill(CODES, {});
    expect(made.statusCode).toBe(200);
    expect(made.headers['cache-control']).toBe('no-store');
    const codes = [...made.body.matchAll(/<li>([A-Z2-9]{5}-[A-Z2-9]{5})<\/li>/g)].map(
      ([, code]) => code ?? '',
    );
    expect(codes).toHaveLength(10);
    const again = await browser.get(CODES);
    for (const code of codes) expect(again.body).not.toContain(code);
    expect(await mailsTo()).toEqual(['factor_added', 'recovery_codes_made']);
  });
});

describe('passkeys', () => {
  it('are added, named and removed', async () => {
    const { added, credential, fields } = await addPasskey();
    // the first factor: what stands in for it when it is lost comes next
    expect(added.headers.location).toBe(`${CODES}?done=passkey`);
    // the same answer once more adds nothing, and the page says so
    for (const answer of [credential, '{}']) {
      const refused = await browser.post(PASSKEYS, { ...fields, credential: answer });
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('The passkey was not accepted.');
    }
    const list = await browser.get(PASSKEYS);
    expect(list.body).not.toContain('There may be a copy');
    await api.sql.query('UPDATE passkeys SET counter_went_back_at = app_now() WHERE user_id = $1', [
      user.userId,
    ]);
    expect((await browser.get(PASSKEYS)).body).toContain('There may be a copy of this passkey.');
    expect(list.headers['content-security-policy']).toContain("connect-src 'self'");
    const path = await passkeyPath();
    expect((await browser.fill(path, { name: ' ', does: '' })).statusCode).toBe(400);
    expect((await browser.fill(path, { name: 'x'.repeat(101), does: '' })).statusCode).toBe(400);
    const named = await browser.fill(path, { name: 'Ada’s <key>', does: '' });
    expect(named.headers.location).toBe(`${PASSKEYS}?done=passkeyNamed`);
    expect(unescapeHtml((await browser.get(PASSKEYS)).body)).toContain('Ada’s <key>');
    const removed = await browser.fill(path, { does: 'remove' });
    expect(removed.headers.location).toBe(`${PASSKEYS}?done=passkeyRemoved`);
    expect((await browser.get(path)).headers.location).toBe(PASSKEYS);
    expect(await mailsTo()).toEqual(['passkey_added', 'passkey_removed']);
  });

  it('are not removed by their user where nothing else would be left to sign in with (S350)', async () => {
    await addPasskey();
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    const path = await passkeyPath();
    const refused = await browser.fill(path, { does: 'remove' });
    expect(refused.headers.location).toBe(`${PASSKEYS}?done=lastWayIn`);
    const list = await browser.get(refused.headers.location ?? '');
    expect(list.body).toContain('This is your only way to sign in.');
    expect(await passkeyPath()).toBe(path);
  });

  it('of somebody else are not seen, and no answer for another page is taken', async () => {
    await addPasskey();
    const path = await passkeyPath();
    const other = await AccountBrowser.signedIn(api, await aUser(world));
    expect((await other.get(path)).headers.location).toBe(PASSKEYS);
    expect(
      (await browser.post(PASSKEYS, { ...(await browser.fieldsOf(PASSKEYS)), credential: '{' })).statusCode,
    ).toBe(400);
  });
});

describe('whoever signed in a while ago', () => {
  it.each([NEW_APP, CODES, PASSKEYS])('shows once more who they are: %s', async (path) => {
    const fields = await browser.fieldsOf(path);
    await api.advance(601);
    const asked = await browser.get(path);
    expect(asked.headers.location).toBe(`/account/confirm?next=${encodeURIComponent(path)}`);
    const stale = await browser.post(path, { ...fields, code: '000000', credential: '{}' });
    expect(stale).toMatchObject({ statusCode: 303, headers: { location: asked.headers.location } });
    const confirmed = await browser.fill(asked.headers.location ?? '', { password: PASSWORD });
    expect(confirmed.headers.location).toBe(path);
    expect((await browser.get(path)).statusCode).toBe(200);
  });

  it('shows all that a sign-in asks for where there is a factor: the password alone renews nothing', async () => {
    const confirm = await browser.fieldsOf('/account/confirm?next=/account/security/app');
    await setUpApp();
    const fields = await browser.fieldsOf(`${SECURITY}/app`);
    await api.advance(601);
    const removed = await browser.post(`${SECURITY}/app`, fields);
    const { location = '' } = removed.headers;
    expect((await browser.get(location)).headers.location).toMatch(/^\/login\?flow=/);
    const renewed = await browser.post('/account/confirm', { ...confirm, password: PASSWORD });
    expect(renewed.headers.location).toMatch(/^\/login\?flow=/);
    expect((await browser.get(`${SECURITY}/app`)).headers.location).toContain('/account/confirm');
    const { rows } = await api.sql.query('SELECT user_id FROM user_totp_secrets WHERE user_id = $1', [
      user.userId,
    ]);
    expect(rows).toHaveLength(1);
    const signedIn = await browser.signInHere(user);
    expect(signedIn.headers.location).toMatch(/^\/login\/second-factor/);
  });

  it('changes no password by the old one alone where there is a factor', async () => {
    await setUpApp();
    const path = `${SECURITY}/password`;
    const fields = await browser.fieldsOf(path);
    await api.advance(601);
    const confirm = `/account/confirm?next=${encodeURIComponent(path)}`;
    expect((await browser.get(path)).headers.location).toBe(confirm);
    const next = 'Marker-Fr3sh!';
    const typed = { password: PASSWORD, newPassword: next, repeatPassword: next };
    expect(await browser.post(path, { ...fields, ...typed })).toMatchObject({
      statusCode: 303,
      headers: { location: confirm },
    });
    expect((await browser.get(`${SECURITY}/app`)).headers.location).toContain('/account/confirm');
    expect((await browser.signInHere(user)).headers.location).toMatch(/^\/login\/second-factor/);
  });

  it.each([
    ['/account/security/app', '/account/security/app'],
    ['https://attacker.example', undefined],
    ['//attacker.example', undefined],
    ['/account/../login', undefined],
  ])('comes back to the page that was wanted, if it is one of the account: %s', async (next, reached) => {
    const app = await setUpApp();
    await api.advance(601);
    await browser.get(`/account/confirm?next=${encodeURIComponent(next)}`);
    const page = await browser.get((await browser.signInHere(user)).headers.location ?? '');
    const code = app.code(api);
    const done = await browser.post('/login/second-factor', { ...hiddenFields(page.body), code });
    expect(done).toMatchObject({ statusCode: 303, headers: { location: '/account' } });
    const overview = await browser.get('/account');
    expect(overview.headers.location).toBe(reached);
    // once: who goes on to the overview gets it
    expect((await browser.get('/account')).statusCode).toBe(200);
  });

  it('is led nowhere by a sign-in that they gave up', async () => {
    await setUpApp();
    await api.advance(601);
    await browser.get('/account/confirm?next=/account/security/app');
    expect((await browser.get('/account')).statusCode).toBe(200);
    expect((await browser.get('/account')).statusCode).toBe(200);
  });
});

describe('where the organization requires a second factor', () => {
  const root = given(() => aServiceUser(world, 'IAM_OWNER'));
  const setPolicy = (body: object) => root.call('PUT', 'policies/factors', body);
  afterEach(() => root.call('DELETE', 'policies/factors'));

  it('the last one stays, be it a passkey or an app, and the page says why', async () => {
    await addPasskey();
    await setPolicy({ secondFactor: 'required', requiredFor: 'all' });
    const path = await passkeyPath();
    const kept = await browser.fill(path, { does: 'remove' });
    expect(kept.headers.location).toBe(`${PASSKEYS}?done=lastFactor`);
    expect((await browser.get(kept.headers.location ?? '')).body).toContain(
      'This is your only second factor',
    );
    await setUpApp();
    expect((await browser.fill(path, { does: 'remove' })).headers.location).toBe(
      `${PASSKEYS}?done=passkeyRemoved`,
    );
    expect((await browser.fill(`${SECURITY}/app`, {})).headers.location).toBe(`${SECURITY}?done=lastFactor`);
  });

  it('one whose number is not verified, or whose mailbox has just set the password, leads back as well (S395)', async () => {
    const fields = await browser.fieldsOf(`${SECURITY}/codes/email`);
    await setPolicy({ secondFactor: 'offered', requiredFor: 'all', kinds: ['email', 'sms'] });
    const send = async (kind: string) => await browser.post(`${SECURITY}/codes/${kind}/send`, fields);
    const unverified = `${SECURITY}?done=factorNotVerified`;
    expect((await send('sms')).headers.location).toBe(unverified);
    expect((await browser.get(`${SECURITY}/codes/sms`)).headers.location).toBe(unverified);
    expect((await browser.get(unverified)).body).toContain('Codes are only sent to what is verified.');
    await api.sql.query(`UPDATE user_passwords SET reset_by_email_at = app_now() WHERE user_id = $1`, [
      user.userId,
    ]);
    const justReset = `${SECURITY}?done=factorJustReset`;
    expect((await send('email')).headers.location).toBe(justReset);
    expect((await browser.get(justReset)).body).toContain('You can turn on codes by e-mail tomorrow.');
  });

  it('one that it does not list any more leads back, where it is said', async () => {
    const codes = `${SECURITY}/codes/email`;
    const [newApp, newCodes] = [await browser.fieldsOf(NEW_APP), await browser.fieldsOf(codes)];
    await setPolicy({ secondFactor: 'offered', requiredFor: 'all', kinds: ['passkey'] });
    const back = `${SECURITY}?done=factorNotUsed`;
    expect((await browser.get(`${SECURITY}/app`)).headers.location).toBe(NEW_APP);
    for (const answer of [
      await browser.get(NEW_APP),
      await browser.post(NEW_APP, newApp),
      await browser.post(`${codes}/send`, newCodes),
    ]) {
      expect([answer.statusCode, answer.headers.location]).toEqual([303, back]);
    }
    const page = await browser.get(back);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('Your organization no longer uses this second factor.');
  });
});
