import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import { aReplica, useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  unescapeHtml,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { collectMails, linkIn, otherCode } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders } from '../oidc/support/answers.js';

const NEW_PASSWORD = 'Marker-Fr3sh!';
const NEW_PASSWORDS = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD };

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
beforeEach(async () => {
  await collectMails(api);
});

/** Types a name on the page for forgotten passwords; gives the page that says a mail is on its way. */
async function forget(loginName: string, browser = new TestBrowser(api), flow?: string, headers = {}) {
  const query = flow === undefined ? '' : `?flow=${flow}`;
  const page = await browser.get(`/password/forgotten${query}`);
  return await browser.post('/password/forgotten', { ...hiddenFields(page.body), loginName }, headers);
}

/** The address of "Enter code" on that page. */
function enterCode(sent: LightMyRequestResponse): string {
  const found = /href="(\/password\/reset\?[^"]+)"/.exec(sent.body)?.[1];
  if (found === undefined) throw new Error(`no way on: ${sent.statusCode}`);
  return unescapeHtml(found);
}

async function mailedLink(user: TestUser) {
  await forget(user.loginName);
  return linkIn((await collectMails(api))[0], '/password/reset');
}

/** Opens a page that takes code and password, and sends its form. */
async function reset(url: string, typed: Record<string, string>, browser = new TestBrowser(api)) {
  const fields = hiddenFields((await browser.get(url)).body);
  return await browser.post('/password/reset', { ...fields, ...NEW_PASSWORDS, ...typed });
}

async function canSignIn(user: TestUser, password: string): Promise<boolean> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const answer = await browser.post('/login', { ...fields, loginName: user.loginName, password });
  return answer.statusCode === 303;
}

async function setState(user: TestUser, state: string): Promise<void> {
  await api.sql.query(`UPDATE users SET state = $2 WHERE id = $1`, [user.userId, state]);
}

describe('asking for a code', () => {
  it('is offered on the sign-in page, and leads back to it', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client, { login_hint: 'ada@hint.test' })));
    const signIn = await browser.get(begun.headers.location ?? '');
    const link = /href="(\/password\/forgotten\?flow=[^"]+)"/.exec(signIn.body)?.[1] ?? '';
    const page = await browser.get(link);
    expect(page.statusCode).toBe(200);
    expectPageHeaders(page);
    expect(page.body).toContain('value="ada@hint.test"');
    expect(page.body).toContain(`href="${begun.headers.location}"`);
  });

  it('answers the same for every name, and sends mail only to whom it may (S051)', async () => {
    const known = await aUser(world);
    const unverified = await aUser(world, {
      email: { address: `${randomToken(6)}@mail.test`.toLowerCase(), verified: false },
    });
    const locked = await aUser(world);
    const gone = await aUser(world);
    const initial = await aUser(world);
    await setState(locked, 'locked');
    await setState(gone, 'inactive');
    await setState(initial, 'initial');
    await api.sql.query(`DELETE FROM user_passwords WHERE user_id = $1`, [initial.userId]);
    const nobody = `nobody-000000@${world.domain}`;
    const sent = new Map<string, string>();
    for (const name of [
      ...[known, unverified, locked, gone, initial].map((user) => user.loginName),
      nobody,
    ]) {
      const page = await forget(name);
      expect(page.statusCode).toBe(200);
      expectPageHeaders(page);
      sent.set(name, shape(page, name));
    }
    expect(new Set(sent.values()).size).toBe(1);
    const mails = await collectMails(api);
    const { rows } = await api.sql.query<{ email: string }>(
      `SELECT email FROM user_humans WHERE user_id = $1`,
      [unverified.userId],
    );
    expect(mails.map((mail) => [mail.to, /\/password\/\w+/.exec(mail.text)?.[0]])).toEqual([
      [`${known.userName}@mail.test`, '/password/reset'],
      [rows[0]?.email, '/password/reset'],
      [`${initial.userName}@mail.test`, '/password/init'],
    ]);
  });

  it('answers in padded time, whoever is meant (S051)', async () => {
    const slow = await aReplica(api, { SIGN_IN_RESPONSE_PADDING: '150ms' });
    const user = await aUser(world);
    for (const name of [user.loginName, 'nobody-at-all']) {
      const browser = new TestBrowser(slow);
      const fields = hiddenFields((await browser.get('/password/forgotten')).body);
      const startedAt = performance.now();
      await browser.post('/password/forgotten', { ...fields, loginName: name });
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
    }
  });

  it('asks for a name', async () => {
    const page = await forget('');
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain('id="loginName-error"');
  });

  it('shows what was typed as text, masked', async () => {
    const page = await forget('<img src=x>@evil.test');
    expect(page.body).not.toContain('<img src=x');
    expect(page.statusCode).toBe(200);
  });

  it('sends its form from its own page only (S040)', async () => {
    const user = await aUser(world);
    const fields = hiddenFields((await new TestBrowser(api).get('/password/forgotten')).body);
    const form = { ...fields, loginName: user.loginName };
    for (const [changed, headers] of [
      [{ ...form, csrf: '' }, {}],
      [form, { origin: 'https://evil.test' }],
      [form, { 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      expectErrorPage(await new TestBrowser(api).post('/password/forgotten', changed, headers), 403);
    }
    expect(await collectMails(api)).toEqual([]);
  });

  it('sends one mail a minute and five an hour to one user, whichever replica and name it is asked by (S048)', async () => {
    const user = await aUser(world);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => forget(user.loginName, new TestBrowser(n % 2 ? api : replica))),
    );
    expect(await collectMails(api)).toHaveLength(1);
    let mails = 1;
    for (let minute = 0; minute < 8; minute += 1) {
      await Promise.all([api.advance(61), replica.advance(61)]);
      await Promise.all([forget(user.loginName), forget(user.userName)]);
      mails += (await collectMails(api)).length;
    }
    expect(mails).toBe(5);
  });

  it('keeps some for whoever asks from elsewhere than a stranger, and for a manager (S470)', async () => {
    const behindProxy = await aReplica(api, { TRUSTED_PROXIES: '127.0.0.1' });
    const user = await aUser(world);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const mailsAfter = async (address: string): Promise<number> => {
      const from = { 'x-forwarded-for': address };
      await forget(user.loginName, new TestBrowser(behindProxy), undefined, from);
      return (await collectMails(api)).length;
    };
    let mails = 0;
    for (let minute = 0; minute < 6; minute += 1) {
      mails += await mailsAfter('198.51.100.1');
      await Promise.all([api.advance(61), replica.advance(61)]);
    }
    expect(mails).toBe(5);
    expect(await mailsAfter('203.0.113.7')).toBe(1);
    expect((await owner.call('POST', `users/${user.userId}/password/_reset`)).statusCode).toBe(200);
    expect(await collectMails(api)).toHaveLength(1);
  });

  it('takes a number of forms a minute from one address', async () => {
    const narrow = await aReplica(api, { RATE_LIMIT_MAIL: '3' });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const response = await forget(`nobody-${n}`, new TestBrowser(narrow));
      statuses.push(response.statusCode);
      if (response.statusCode === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });
});

describe('a new password', () => {
  it('is set with the link of the mail; earlier sessions and tokens end, and the owner is notified (S058)', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, user, {}, browser);
    const begun = redirected(await browser.get(authorizeUrl(codeRequest(client))));
    const { url, code } = await mailedLink(user);
    const page = await new TestBrowser(api).get(url);
    expectPageHeaders(page);
    expect(page.body).toContain(user.loginName);
    expect(await canSignIn(user, PASSWORD)).toBe(true);

    const done = await reset(url, { code });
    expect(done.statusCode).toBe(200);
    expectPageHeaders(done);
    expect(done.body).toContain('href="/login"');
    expect(await canSignIn(user, PASSWORD)).toBe(false);
    expect(await canSignIn(user, NEW_PASSWORD)).toBe(true);
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect((await refreshTokens(api, client, tokens)).json()).toMatchObject({
      error: 'invalid_grant',
    });
    const redeem = {
      grant_type: 'authorization_code',
      code: begun.get('code') ?? '',
      redirect_uri: 'https://rp.test/cb',
    };
    expect((await requestToken(api, redeem, basic(client))).json()).toMatchObject({ error: 'invalid_grant' });
    const again = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(again).get('error')).toBe('login_required');
    const ended = await api.sql.query<{ end_reason: string }>(
      `SELECT end_reason FROM sessions WHERE user_id = $1 AND ended_at IS NOT NULL`,
      [user.userId],
    );
    expect(ended.rows.map((row) => row.end_reason)).toContain('password_changed');

    const [notice, ...others] = await collectMails(api);
    expect(others).toEqual([]);
    expect(notice?.to).toBe(`${user.userName}@mail.test`);
    expect(notice?.subject).toMatch(/was changed/);
    expect(notice?.text).toContain('https://id.test/password/forgotten');
    const { rows } = await api.sql.query<{ type: string; fields: string[] }>(
      `SELECT type, fields FROM events WHERE aggregate_type = 'user' AND aggregate_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ type: 'user.human.password.reset', fields: ['password', 'emailVerified'] }]);
    expectErrorPage(await new TestBrowser(api).get(url), 400);
  });

  it('ends earlier sessions and tokens of somebody who came in without one as well (S058)', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, user, {}, browser);
    // as if a passkey or a provider had let them in
    await api.sql.query(`DELETE FROM user_passwords WHERE user_id = $1`, [user.userId]);
    const { url, code } = await mailedLink(user);
    expect((await reset(url, { code })).statusCode).toBe(200);
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect((await refreshTokens(api, client, tokens)).json()).toMatchObject({
      error: 'invalid_grant',
    });
    const again = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(again).get('error')).toBe('login_required');
  });

  it('is set with the typed code, and leads back into the sign-in that it began in', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const sent = await forget(user.loginName, browser, fields['flow']);
    const [mail] = await collectMails(api);
    expect(mail?.text).not.toContain(fields['flow']);
    const page = await browser.get(enterCode(sent));
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toContain(user.userName);
    const done = await reset(enterCode(sent), { code: linkIn(mail, '/password/reset').code }, browser);
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain(`href="/login?flow=${fields['flow']}"`);
    const signIn = hiddenFields((await browser.get(`/login?flow=${fields['flow']}`)).body);
    const answer = await browser.post('/login', {
      ...signIn,
      loginName: user.loginName,
      password: NEW_PASSWORD,
    });
    expect(redirected(answer).get('state')).toBe('Marker-state');
    expect(redirected(answer).has('code')).toBe(true);
  });

  it('leads into the flow by the mail as well, in the browser of that flow only (S038)', async () => {
    for (const same of [true, false]) {
      const user = await aUser(world);
      const browser = new TestBrowser(api);
      const { flow } = await browser.openSignIn(codeRequest(client));
      await forget(user.loginName, browser, flow);
      const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
      const done = await reset(url, { code }, same ? browser : new TestBrowser(api));
      expect(done.statusCode).toBe(200);
      expect(done.body.includes(`/login?flow=${flow}`)).toBe(same);
      await collectMails(api);
    }
  });

  it('opens the password step again that guesses had closed', async () => {
    const user = await aUser(world);
    for (let n = 0; n < 6; n += 1) expect(await canSignIn(user, 'Wrong-Passw0rd!')).toBe(false);
    const { url, code } = await mailedLink(user);
    expect(await canSignIn(user, PASSWORD)).toBe(false);
    expect((await reset(url, { code })).statusCode).toBe(200);
    expect(await canSignIn(user, NEW_PASSWORD)).toBe(true);
  });

  it('verifies the address, which then is a name to sign in with', async () => {
    const address = `${randomToken(6)}@mail.test`.toLowerCase();
    const user = await aUser(world, { email: { address, verified: false } });
    const { url, code } = await mailedLink(user);
    expect((await reset(url, { code })).statusCode).toBe(200);
    expect(await canSignIn({ ...user, loginName: address }, NEW_PASSWORD)).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['too weak', { newPassword: 'short', repeatPassword: 'short' }],
    ['too long', { newPassword: `Aa1!${'x'.repeat(2000)}`, repeatPassword: `Aa1!${'x'.repeat(2000)}` }],
    ['not repeated', { repeatPassword: 'Other-Passw0rd!' }],
    ['missing', { newPassword: '' }],
  ])('that is %s is refused and costs no try', async (_name, typed) => {
    const user = await aUser(world);
    const { url, code } = await mailedLink(user);
    for (let n = 0; n < 6; n += 1) {
      const refused = await reset(url, { code, ...typed });
      expect(refused.statusCode).toBe(400);
      expect(refused.body).not.toContain(NEW_PASSWORD);
      if (_name === 'too weak') expect(refused.body.match(/class="unmet"/g)).toHaveLength(4);
    }
    expect((await reset(url, { code })).statusCode).toBe(200);
  });

  it('needs a proof: neither link nor handle alone sets anything (S052)', async () => {
    const user = await aUser(world);
    const sent = await forget(user.loginName);
    const { url, id } = linkIn((await collectMails(api))[0], '/password/reset');
    for (const page of [url, enterCode(sent)]) {
      const fields = hiddenFields((await new TestBrowser(api).get(page)).body);
      for (const code of ['', 'AAAAAA']) {
        const answer = await new TestBrowser(api).post('/password/reset', {
          ...fields,
          ...NEW_PASSWORDS,
          code,
        });
        expect(answer.statusCode).toBe(400);
      }
      expectErrorPage(
        await new TestBrowser(api).post('/password/reset', { ...fields, ...NEW_PASSWORDS, csrf: 'x' }),
        403,
      );
    }
    expectErrorPage(await new TestBrowser(api).post('/password/reset', { id, ...NEW_PASSWORDS }), 403);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  it('takes no code of another user and of another purpose (S053)', async () => {
    const [mine, theirs] = [await aUser(world), await aUser(world)];
    const own = await mailedLink(mine);
    const sent = await forget(theirs.loginName);
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    expect((await reset(url, { code: own.code })).statusCode).toBe(400);
    expect((await reset(enterCode(sent), { code: own.code })).statusCode).toBe(400);
    for (const path of ['/password/init', '/verify/email']) {
      expectErrorPage(await new TestBrowser(api).get(url.replace('/password/reset', path)), 400);
    }
    expect(await canSignIn(theirs, PASSWORD)).toBe(true);
    expect((await reset(url, { code })).statusCode).toBe(200);
  });

  it('takes five tries, then the right code is worth nothing, and a name that means nobody reads the same (S054)', async () => {
    const user = await aUser(world);
    const sent = await forget(user.loginName);
    const { code } = linkIn((await collectMails(api))[0], '/password/reset');
    const nobody = await forget(`nobody-000000@${world.domain}`);
    const shapes = new Set<string>();
    for (let n = 0; n < 7; n += 1) {
      for (const page of [sent, nobody]) {
        const answer = await reset(enterCode(page), { code: n < 6 ? otherCode(code) : code });
        expect(answer.statusCode).toBe(400);
        shapes.add(shape(answer, code).replaceAll(otherCode(code), 'TYPED'));
      }
    }
    // the last of both shows another code
    expect(shapes.size).toBeLessThanOrEqual(2);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  // otherwise whoever knows a name could keep its owner from ever setting a new password
  it('leaves the mail’s link tries of its own, however many come from somebody who typed the name (S047, S054)', async () => {
    const user = await aUser(world);
    const { url, code } = await mailedLink(user);
    const sent = await forget(user.loginName);
    await Promise.all(Array.from({ length: 12 }, () => reset(enterCode(sent), { code: otherCode(code) })));
    expect((await reset(enterCode(sent), { code })).statusCode).toBe(400);
    expect((await reset(url, { code: otherCode(code) })).statusCode).toBe(400);
    expect((await reset(url, { code })).statusCode).toBe(200);
    expect(await canSignIn(user, NEW_PASSWORD)).toBe(true);
  });

  it('evaluates five of a hundred parallel tries over two replicas (S054)', async () => {
    const user = await aUser(world);
    const { url, code } = await mailedLink(user);
    const fields = hiddenFields((await new TestBrowser(api).get(url)).body);
    const form = { ...fields, ...NEW_PASSWORDS, code: otherCode(code) };
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        new TestBrowser(n % 2 ? api : replica).post('/password/reset', form),
      ),
    );
    const { rows } = await api.sql.query<{ attempts: number }>(
      `SELECT attempts FROM verification_codes WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ attempts: 5 }]);
    expect((await new TestBrowser(api).post('/password/reset', { ...form, code })).statusCode).toBe(400);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  it('is set once by forms that are sent at once', async () => {
    const user = await aUser(world);
    const { url, code } = await mailedLink(user);
    const fields = hiddenFields((await new TestBrowser(api).get(url)).body);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        new TestBrowser(n % 2 ? api : replica).post('/password/reset', { ...fields, ...NEW_PASSWORDS, code }),
      ),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    expect(await collectMails(api)).toHaveLength(1);
  });

  it('is not set with an expired code, whether or not any worker ever ran (S055)', async () => {
    const user = await aUser(world);
    const sent = await forget(user.loginName);
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    const fields = hiddenFields((await new TestBrowser(api).get(url)).body);
    await Promise.all([api.advance(601), replica.advance(601)]);
    expectErrorPage(await new TestBrowser(api).get(url), 400);
    const late = await new TestBrowser(api).post('/password/reset', { ...fields, ...NEW_PASSWORDS, code });
    expectErrorPage(late, 400);
    expect((await reset(enterCode(sent), { code })).statusCode).toBe(400);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  it('is set with the newest code only; a second request within a minute keeps the first (S056)', async () => {
    const user = await aUser(world);
    const first = await mailedLink(user);
    await forget(user.loginName);
    expect(await collectMails(api)).toEqual([]);
    expect((await new TestBrowser(api).get(first.url)).statusCode).toBe(200);
    await Promise.all([api.advance(61), replica.advance(61)]);
    const second = await mailedLink(user);
    expectErrorPage(await new TestBrowser(api).get(first.url), 400);
    expect((await reset(second.url, { code: first.code })).statusCode).toBe(400);
    expect((await reset(second.url, { code: second.code })).statusCode).toBe(200);
  });

  it('sends another code from the page, but not at once, and says the truth about it', async () => {
    for (const name of [(await aUser(world)).loginName, 'nobody-at-all']) {
      const browser = new TestBrowser(api);
      const sent = await forget(name, browser);
      const early = await browser.post('/password/forgotten', hiddenFields(sent.body));
      expect(early.body).not.toContain('role="status"');
      expect(enterCode(early)).toBe(enterCode(sent));
      await Promise.all([api.advance(61), replica.advance(61)]);
      const again = await browser.post('/password/forgotten', hiddenFields(early.body));
      expect(again.body).toContain('role="status"');
    }
    expect(await collectMails(api)).toHaveLength(1);
  });

  it('is not set once the address changed: neither is the new one verified (S057)', async () => {
    const user = await aUser(world);
    const sent = await forget(user.loginName);
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    const fields = hiddenFields((await new TestBrowser(api).get(url)).body);
    await api.sql.query(
      `UPDATE user_humans SET email = 'new-' || email, email_verified = false WHERE user_id = $1`,
      [user.userId],
    );
    expectErrorPage(
      await new TestBrowser(api).post('/password/reset', { ...fields, ...NEW_PASSWORDS, code }),
      400,
    );
    expect((await reset(enterCode(sent), { code })).statusCode).toBe(400);
    const { rows } = await api.sql.query(`SELECT email_verified FROM user_humans WHERE user_id = $1`, [
      user.userId,
    ]);
    expect(rows).toEqual([{ email_verified: false }]);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  it.each(['inactive', 'locked'])('cannot be set by a user who became %s meanwhile (S046)', async (state) => {
    const user = await aUser(world);
    const sent = await forget(user.loginName);
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    await setState(user, state);
    expectErrorPage(await new TestBrowser(api).get(url), 400);
    expect((await reset(enterCode(sent), { code })).statusCode).toBe(400);
    await setState(user, 'active');
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  it.each([
    ['nothing', {}],
    ['a forged handle', { request: 'A'.repeat(342) }],
    ['a short handle', { request: 'x' }],
    ['a link of nobody', { id: 'A'.repeat(22) }],
    ['markup', { id: '"><script>alert(1)</script>' }],
  ])('has no page for %s', async (_name, query) => {
    const response = await new TestBrowser(api).get(
      `/password/reset?${new URLSearchParams(query).toString()}`,
    );
    expectErrorPage(response, 400);
    expect(response.body).not.toContain('<script>alert');
  });
});

it('keeps names, addresses and codes out of the outbox and the audit log (I6)', async () => {
  const user = await aUser(world, { profile: { firstName: 'SECRET', lastName: 'SECRET' } });
  await forget(user.loginName);
  const { rows: jobs } = await api.sql.query<{ text: string }>(`SELECT payload::text AS text FROM outbox`);
  const { code } = linkIn((await collectMails(api))[0], '/password/reset');
  const { rows: events } = await api.sql.query<{ text: string }>(
    `SELECT to_jsonb(e)::text AS text FROM events e`,
  );
  const told = [...jobs, ...events].map(({ text }) => text).join('\n');
  expect(jobs).toHaveLength(1);
  expect(told).not.toContain(code);
  expect(told).not.toMatch(/SECRET|mail\.test/);
});

/** What is the same on every such page: all but the token, the handle, the nonce and the masked name. */
function shape(response: LightMyRequestResponse, name: string): string {
  const masked = name.includes('@') ? `${name[0]}•••${name.slice(name.lastIndexOf('@'))}` : `${name[0]}•••`;
  const headers = Object.entries(response.headers)
    .filter(([key]) => !['date', 'x-request-id'].includes(key))
    .map(([key, value]) => `${key}: ${String(value)}`);
  return [...headers, response.body]
    .join('\n')
    .replaceAll(name, 'NAME')
    .replaceAll(masked, 'MASKED')
    .replace(/nonce(-|=")[^'"]+/g, 'nonce')
    .replace(/request=[\w-]+/g, (handle) => `request of ${handle.length}`)
    .replace(
      /(name="request" value=")([\w-]+)/g,
      (_all, head: string, handle: string) => `${head}${handle.length}`,
    )
    .replace(/content-length: \d+/, '')
    .replace(/(name="csrf" value=")[\w-]+/g, '$1');
}
