import { afterEach, describe, expect, it, vi } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  IMPLICIT,
  implicitRequest,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { TEST_BILL } from '../../support/hashing.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// What was true when a sign-in began, and is no more when it ends: the newer truth decides.

const NEXT = 'Marker-N3w-Passw0rd!';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets `between` happen after the next password was found right, and before anything follows from that. */
function afterThePassword(between: () => Promise<void>): void {
  const hashing = api.app.get(PasswordHashing);
  const verify = hashing.verify.bind(hashing);
  vi.spyOn(hashing, 'verify').mockImplementationOnce(async (...asked) => {
    const result = await verify(...asked);
    await between();
    return result;
  });
}

async function resetPassword(user: TestUser): Promise<void> {
  const browser = new TestBrowser(api);
  const asked = hiddenFields((await browser.get('/password/forgotten')).body);
  await browser.post('/password/forgotten', { ...asked, loginName: user.loginName });
  const mails = await collectMails(api);
  const link = linkIn(
    mails.find(({ to }) => to === `${user.userName}@mail.test`),
    '/password/reset',
  );
  const fields = hiddenFields((await browser.get(link.url)).body);
  const form = { ...fields, code: link.code, newPassword: NEXT, repeatPassword: NEXT };
  expect((await browser.post('/password/reset', form)).statusCode).toBe(200);
}

async function livingSessions(user: TestUser): Promise<number> {
  const { rows } = await api.sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.user_id = $1 AND s.ended_at IS NULL AND s.subject_epoch = u.token_epoch`,
    [user.userId],
  );
  return rows[0]?.n ?? 0;
}

describe('a sign-in with the old password that a new one overtakes (S058)', () => {
  it('begins no session after a reset', async () => {
    const user = await aUser(world);
    afterThePassword(() => resetPassword(user));
    const thief = new TestBrowser(api);
    const answered = await thief.signIn(codeRequest(client), user);
    expect(answered.statusCode).toBe(400);
    expect(answered.headers['set-cookie']).toBeUndefined();
    expect(await livingSessions(user)).toBe(0);
    const silent = await thief.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).get('error')).toBe('login_required');
  });

  it('begins none after a change of the password in another browser, and that one goes on', async () => {
    const user = await aUser(world);
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    const owner = new TestBrowser(api);
    const step = await owner.signIn(codeRequest(client), user);
    const fields = hiddenFields((await owner.get(step.headers.location ?? '')).body);
    const passwords = { password: PASSWORD, newPassword: NEXT, repeatPassword: NEXT };
    afterThePassword(async () => {
      const changed = await owner.post('/login/change-password', { ...fields, ...passwords });
      expect(redirected(changed).has('code')).toBe(true);
    });
    const thief = new TestBrowser(api);
    expect((await thief.signIn(codeRequest(client), user)).statusCode).toBe(400);
    expect(await livingSessions(user)).toBe(1);
  });

  it('is not stopped by a re-hash, which is no change of the password', async () => {
    const user = await aUser(world);
    afterThePassword(async () => {
      const hashing = api.app.get(PasswordHashing);
      const hash = await hashing.hash(PASSWORD, TEST_BILL);
      await api.sql.query(`UPDATE user_passwords SET hash = $2 WHERE user_id = $1`, [user.userId, hash]);
    });
    expect(redirected(await new TestBrowser(api).signIn(codeRequest(client), user)).has('code')).toBe(true);
  });
});

describe('a sign-in whose user an administrator locks meanwhile (S046)', () => {
  it('begins no session', async () => {
    const user = await aUser(world);
    afterThePassword(async () => {
      await api.sql.query(`UPDATE users SET state = 'locked', token_epoch = token_epoch + 1 WHERE id = $1`, [
        user.userId,
      ]);
    });
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    expect(answered.statusCode).toBe(400);
    expect(await livingSessions(user)).toBe(0);
  });
});

// a URI is taken back because somebody else has it by now
describe('what an application lost while its user was signing in (S019, S026)', () => {
  const LOSSES: readonly [string, string][] = [
    ['the redirect URI', `redirect_uris = '{https://rp.test/other}'`],
    ['the response type', `response_types = '{code}'`],
    ['the grant type', `grant_types = '{authorization_code}'`],
    ['its right to act', `state = 'inactive'`],
  ];

  it.each(LOSSES)(
    '%s: no answer leaves, neither from the form nor by beginning again',
    async (_name, loss) => {
      const user = await aUser(world);
      const implicit = await anApplication(world, IMPLICIT);
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(implicitRequest(implicit));
      await api.sql.query(`UPDATE applications SET ${loss} WHERE id = $1`, [implicit.id]);
      const form = { ...fields, loginName: user.loginName, password: PASSWORD };
      const refused = await browser.post('/login', form);
      expect(refused.statusCode).toBe(400);
      expect(refused.headers.location).toBeUndefined();
      expect(refused.body).not.toContain(REDIRECT_URI);
      await api.advance(3601);
      const again = await browser.get(`/login/again?flow=${fields['flow']}`);
      expect(again.statusCode).toBe(400);
      expect(again.headers.location).toBeUndefined();
      const { rows } = await api.sql.query(`SELECT 1 FROM authorizations WHERE application_id = $1`, [
        implicit.id,
      ]);
      expect(rows).toHaveLength(0);
    },
  );
});

describe('a chooser and a logout of its account at once (S131)', () => {
  it('come to an order: a code that was given is worth nothing once the logout has answered', async () => {
    for (let round = 0; round < 8; round += 1) {
      const user = await aUser(world);
      const browser = new TestBrowser(api);
      const first = await browser.signIn(codeRequest(client, { scope: 'openid' }), user);
      const { id_token: hint } = await tokensOf(api, client, first);
      const listed = await browser.get(
        authorizeUrl(codeRequest(client, { prompt: 'select_account', scope: 'openid' })),
      );
      const page = await browser.get(listed.headers.location ?? '');
      const account = /<button class="account"[^>]*value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      const [chosen, left] = await Promise.all([
        browser.post('/login/accounts', { ...hiddenFields(page.body), account }),
        browser.get(`/oidc/v1/end_session?id_token_hint=${hint}`),
      ]);
      expect(left.statusCode).toBe(200);
      expect(chosen.statusCode).toBeLessThan(500);
      const code = redirected(chosen).get('code');
      if (code !== null) {
        const late = await requestToken(api, redemption(code), basic(client));
        expect(late.json()).toMatchObject({ error: 'invalid_grant' });
      }
      const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
      expect(redirected(silent).get('error')).toBe('login_required');
    }
  });
});
