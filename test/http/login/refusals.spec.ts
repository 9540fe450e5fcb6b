import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import { HashingOverloaded } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import { RateLimiter } from '../../../src/domain/shared/rate-limiter.js';
import { anApplication } from '../../support/applications.js';
import { authorizeUrl, codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectPageHeaders, expectRedirectedError } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));
afterEach(() => {
  vi.restoreAllMocks();
});

async function tryToSignIn(loginName: string, password: string) {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const secret = browser.userAgentSecret;
  const response = await browser.post('/login', { ...fields, loginName, password });
  const afterwards = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  return { response, afterwards, secretKept: browser.userAgentSecret === secret };
}

async function userIn(state: string): Promise<string> {
  const one = await aUser(world, { userName: `u${state}`.padEnd(user.userName.length, 'x') });
  await api.sql.query(`UPDATE users SET state = $2, token_epoch = token_epoch + 1 WHERE id = $1`, [
    one.userId,
    state,
  ]);
  return one.loginName;
}

/** Status, headers and body without what is random or typed. */
function seenFromOutside(response: LightMyRequestResponse, typed: string): unknown {
  const { date: _date, ...headers } = response.headers;
  const nonce = /'nonce-([^']+)'/.exec(JSON.stringify(headers))?.[1] ?? '';
  return JSON.parse(
    JSON.stringify({ status: response.statusCode, headers, body: response.body })
      .replaceAll(nonce, '')
      .replaceAll(typed, '')
      .replaceAll(/(csrf|flow)\\" value=\\"[^"]*\\"/g, '')
      .replaceAll(/flow=[A-Za-z0-9_-]{22}/g, ''),
  );
}

describe('a sign-in that is refused', () => {
  it('looks the same whatever the reason (S044)', async () => {
    const cases: [string, string, string][] = [
      ['wrong password', user.loginName, 'wrong'],
      ['unknown user', user.loginName.replace(/^user/, 'resu'), PASSWORD],
      ['deactivated user', await userIn('inactive'), PASSWORD],
      ['user without a password yet', await userIn('initial'), PASSWORD],
      ['locked user', await userIn('locked'), PASSWORD],
      ['password of 5 kB', user.loginName, 'a'.repeat(5000)],
      ['password with a NUL', user.loginName, `${PASSWORD}\u0000`],
      ['password in other case', user.loginName, PASSWORD.toUpperCase()],
      ['password with a space behind', user.loginName, `${PASSWORD} `],
    ];
    const seen = new Set<string>();
    for (const [reason, loginName, password] of cases) {
      const { response, afterwards, secretKept } = await tryToSignIn(loginName, password);
      expect(response.statusCode, reason).toBe(400);
      expect(response.body).not.toContain(password === 'wrong' ? 'value="wrong"' : password);
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(secretKept).toBe(true);
      expectPageHeaders(response);
      expectRedirectedError(afterwards, 'login_required');
      seen.add(JSON.stringify(seenFromOutside(response, loginName)));
    }
    expect([...seen]).toHaveLength(1);
  });

  it.each([
    ['NUL', 'ada\u0000'],
    ['an injection', `' OR 1=1 --`],
    ['a wildcard', '%'],
    ['only spaces', '   '],
    ['only an at sign', '@'],
    ['two at signs', 'a@b@c'],
    ['10 kB', 'x'.repeat(10_000)],
    ['invisible characters', '\u200b\u2060'],
    ['an emoji', '👩‍💻'],
    ['a built-in name', '__proto__'],
    ['the internal id', 'id'],
  ])('takes a login name of %s in its stride', async (_name, loginName) => {
    const typed = loginName === 'id' ? user.userId : loginName;
    const { response, afterwards } = await tryToSignIn(typed, PASSWORD);
    expect(response.statusCode).toBe(400);
    expectPageHeaders(response);
    expectRedirectedError(afterwards, 'login_required');
  });

  it('gives back the login name, escaped, and never the password', async () => {
    const { response } = await tryToSignIn('"><script>alert(1)</script>', '<b>Marker-typed</b>');
    expect(response.body).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(response.body).not.toContain('Marker-typed');
  });
});

describe('names that mean a user', () => {
  it.each<[string, (user: TestUser) => string]>([
    ['the full login name', ({ loginName }) => loginName],
    ['the user name alone', ({ userName }) => userName],
    ['a verified e-mail', ({ userName }) => `${userName}@mail.test`],
    ['other case', ({ loginName }) => loginName.toUpperCase()],
    ['space around', ({ loginName }) => ` ${loginName} `],
    ['full-width letters', ({ loginName }) => loginName.replace('u', 'ｕ')],
  ])('%s', async (_name, spelled) => {
    const { response } = await tryToSignIn(spelled(user), PASSWORD);
    expect(response.statusCode).toBe(303);
  });

  it('an e-mail that is not verified means nobody', async () => {
    await aUser(world, { email: { address: 'open@mail.test', verified: false } });
    expect((await tryToSignIn('open@mail.test', PASSWORD)).response.statusCode).toBe(400);
  });

  it('a name of two organizations means the one of the default organization, a full name always its own', async () => {
    const other = await anOrganization(api);
    const here = await aUser(world, { userName: 'twin' });
    const there = await aUser(other, { userName: 'twin', password: 'Marker-0ther!' });
    expect((await tryToSignIn('twin', PASSWORD)).response.statusCode).toBe(303);
    expect((await tryToSignIn('twin', 'Marker-0ther!')).response.statusCode).toBe(400);
    expect((await tryToSignIn(here.loginName, PASSWORD)).response.statusCode).toBe(303);
    expect((await tryToSignIn(there.loginName, 'Marker-0ther!')).response.statusCode).toBe(303);
  });
});

describe('a form that is not filled in (S041)', () => {
  it.each([
    [{}, 'address or user name.'],
    [{ loginName: 'ada' }, 'Enter your password'],
    [{ password: PASSWORD }, 'address or user name.'],
    [{ loginName: '', password: '' }, 'address or user name.'],
  ])('%j goes nowhere', async (typed, text) => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const response = await browser.post('/login', { ...fields, ...(typed as Record<string, string>) });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain(text);
    // and the flow is still open
    const answered = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(redirected(answered).has('code')).toBe(true);
  });
});

describe('more than is good', () => {
  it('says when to come back to an address that guesses', async () => {
    const limiter = api.app.get(RateLimiter, { strict: false });
    vi.spyOn(limiter, 'check').mockResolvedValue({ allowed: false, retryAfterSeconds: 23 });
    const { response } = await tryToSignIn(user.loginName, PASSWORD);
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('23');
    expectPageHeaders(response);
  });

  it('counts failures only', async () => {
    const hit = vi.spyOn(api.app.get(RateLimiter, { strict: false }), 'hit');
    await tryToSignIn(user.loginName, PASSWORD);
    expect(hit).not.toHaveBeenCalledWith('sign-in', expect.anything(), expect.anything());
    await tryToSignIn(user.loginName, 'wrong');
    expect(hit).toHaveBeenCalledWith('sign-in', '127.0.0.1', expect.any(Number));
  });

  it('answers 503 with the form while too many passwords wait to be checked', async () => {
    vi.spyOn(api.app.get(CheckPassword), 'check').mockRejectedValue(new HashingOverloaded(5));
    const { response } = await tryToSignIn(user.loginName, PASSWORD);
    expect(response.statusCode).toBe(503);
    expectPageHeaders(response);
    expect(response.headers['retry-after']).toBe('5');
    expect(response.body).toContain('Try again in a few seconds');
    expect(response.body).toContain(`value="${user.loginName}"`);
  });
});
