import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectRedirectedError } from './support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const ada = given(() => aUser(world));
const eve = given(() => aUser(world));

async function signedIn(user: TestUser): Promise<TestBrowser> {
  const browser = await aSignedInBrowser(api, client, user);
  return browser;
}

async function ask(browser: TestBrowser, changes: Record<string, string> = {}) {
  return await browser.get(authorizeUrl(codeRequest(client, changes)));
}

type Answered = Awaited<ReturnType<typeof ask>>;

async function idTokenOf(response: Answered): Promise<{ sub: string; auth_time: number }> {
  const tokens = await tokensOf(api, client, response);
  return decodeJwt<{ sub: string; auth_time: number }>(tokens.id_token);
}

/** Signs in on the page that a request led to. */
async function submit(browser: TestBrowser, asked: Answered, user: TestUser, password = PASSWORD) {
  const page = await browser.get(asked.headers.location ?? '');
  return await browser.post('/login', { ...hiddenFields(page.body), loginName: user.loginName, password });
}

const isSignInPage = (response: Answered): boolean =>
  response.headers.location?.startsWith('/login?flow=') === true;

describe('a session', () => {
  it('answers further requests of the browser without asking', async () => {
    const browser = await signedIn(ada);
    const first = await idTokenOf(await ask(browser));
    const second = await idTokenOf(await ask(browser, { prompt: 'none' }));
    expect(second.sub).toBe(ada.userId);
    expect(second.auth_time).toBe(first.auth_time);
  });

  it('belongs to one browser', async () => {
    await signedIn(ada);
    expect(isSignInPage(await ask(new TestBrowser(api)))).toBe(true);
  });

  it('answers other applications as well', async () => {
    const other = await anApplication(await anOrganization(api));
    const browser = await signedIn(ada);
    const response = await browser.get(authorizeUrl(codeRequest(other)));
    expect(redirected(response).has('code')).toBe(true);
  });

  it.each([
    ['that never was', 'A'.repeat(43)],
    ['that is empty', ''],
    ['that is no secret', '../../etc'],
    ['of bad encoding', '%E0%A4%A'],
    ['of 8 kB', 'A'.repeat(8000)],
  ])('does not come from a cookie %s', async (_name, secret) => {
    const response = await api.app.inject({
      url: authorizeUrl(codeRequest(client, { prompt: 'none' })),
      headers: { cookie: `__Host-identity-agent=${secret}` },
    });
    expectRedirectedError(response, 'login_required');
  });

  it('is not read from a cookie without the prefix that pins it', async () => {
    const browser = await signedIn(ada);
    const response = await api.app.inject({
      url: authorizeUrl(codeRequest(client, { prompt: 'none' })),
      headers: { cookie: `identity-agent=${browser.userAgentSecret ?? ''}` },
    });
    expectRedirectedError(response, 'login_required');
  });
});

describe('prompt=login (S033)', () => {
  it('asks again, and auth_time is later', async () => {
    const browser = await signedIn(ada);
    const before = await idTokenOf(await ask(browser));
    await api.advance(2);
    const asked = await ask(browser, { prompt: 'login' });
    expect(isSignInPage(asked)).toBe(true);
    const after = await idTokenOf(await submit(browser, asked, ada));
    expect(after.auth_time).toBeGreaterThan(before.auth_time);
  });

  it('gives no code before the new sign-in: not by going back, not after a wrong password', async () => {
    const browser = await signedIn(ada);
    const asked = await ask(browser, { prompt: 'login' });
    const again = await browser.get(asked.headers.location ?? '');
    expect(again.statusCode).toBe(200);
    expect((await submit(browser, asked, ada, 'wrong')).statusCode).toBe(400);
    expect(isSignInPage(await ask(browser, { prompt: 'login' }))).toBe(true);
    // the existing session is untouched by the attempt
    expect(redirected(await ask(browser, { prompt: 'none' })).has('code')).toBe(true);
  });

  it('lets another user sign in, whose session is another one', async () => {
    const browser = await signedIn(ada);
    const before = browser.userAgentSecret;
    const adas = await ask(browser);
    const answered = await submit(browser, await ask(browser, { prompt: 'login' }), eve);
    expect((await idTokenOf(answered)).sub).toBe(eve.userId);
    expect((await idTokenOf(adas)).sub).toBe(ada.userId);
    expect(browser.userAgentSecret).not.toBe(before);
    const { rows } = await api.sql.query<{ user_id: string }>(
      `SELECT s.user_id FROM sessions s WHERE s.user_agent_id =
         (SELECT user_agent_id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1)`,
      [eve.userId],
    );
    expect(rows.map((row) => row.user_id).toSorted()).toEqual([ada.userId, eve.userId].toSorted());
  });
});

describe('max_age', () => {
  it('is kept while the sign-in is young enough', async () => {
    const browser = await signedIn(ada);
    const first = await idTokenOf(await ask(browser, { max_age: '15000' }));
    const second = await idTokenOf(await ask(browser, { max_age: '10000' }));
    expect(second.auth_time).toBe(first.auth_time);
  });

  it('asks again when it is too old, and refuses with prompt=none', async () => {
    const browser = await signedIn(ada);
    await api.advance(2);
    expectRedirectedError(await ask(browser, { max_age: '1', prompt: 'none' }), 'login_required');
    const before = await idTokenOf(await ask(browser));
    const asked = await ask(browser, { max_age: '1' });
    expect(isSignInPage(asked)).toBe(true);
    expect((await idTokenOf(await submit(browser, asked, ada))).auth_time).toBeGreaterThan(before.auth_time);
  });

  it('is judged once: a user who takes longer than max_age is not asked for ever', async () => {
    const browser = new TestBrowser(api);
    const asked = await ask(browser, { max_age: '1' });
    await api.advance(30);
    const answered = await submit(browser, asked, ada);
    expect(answered.statusCode).toBe(303);
    expect(redirected(answered).has('code')).toBe(true);
  });

  it('of 0 always asks', async () => {
    expect(isSignInPage(await ask(await signedIn(ada), { max_age: '0' }))).toBe(true);
  });
});

describe('the answer (S037)', () => {
  const PUNCTUATION = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`;
  it.each([
    ['128 characters of punctuation', PUNCTUATION.repeat(4)],
    ['percent signs and plus signs', '%2B+%%20 &=?#'],
    ['line breaks', 'a\r\nb\n\rc\td'],
    ['other scripts and emoji', 'été Ж 漢字 👩‍💻 \u202e\u0301'],
    ['markup', '"><script>alert(1)</script>'],
    ['a space', ' '],
  ])('brings state and nonce back as they came: %s', async (_name, value) => {
    const browser = await signedIn(ada);
    for (const answered of [
      await ask(browser, { state: value, nonce: value }),
      await new TestBrowser(api).signIn(codeRequest(client, { state: value, nonce: value }), ada),
    ]) {
      expect(redirected(answered).get('state')).toBe(value);
      expect(redirected(answered).get('iss')).toBe('https://id.test');
      const tokens = await tokensOf(api, client, answered);
      expect(decodeJwt(tokens.id_token)['nonce']).toBe(value);
    }
  });

  it.each([
    { host: 'evil.test' },
    { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' },
    { forwarded: 'host=evil.test;proto=http' },
  ])('names the configured issuer, whatever %j says (S001, S002)', async (headers) => {
    const browser = await signedIn(ada);
    const answered = await browser.get(authorizeUrl(codeRequest(client)), headers);
    expect(redirected(answered).get('iss')).toBe('https://id.test');
    const asked = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'login' })), headers);
    expect(asked.headers.location).toMatch(/^\/login\?flow=/);
    const page = await browser.get(asked.headers.location ?? '', headers);
    expect(page.body).not.toContain('evil.test');
    expect(asked.headers['strict-transport-security']).toBeDefined();
  });

  it('has code, state and iss, and nothing else', async () => {
    const response = await ask(await signedIn(ada));
    expect([...redirected(response).keys()]).toEqual(['code', 'state', 'iss']);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['referrer-policy']).toBe('no-referrer');
    expect(response.body).toBe('');
    expect([...redirected(await ask(await signedIn(ada), { state: '' })).keys()]).toEqual(['code', 'iss']);
  });
});

describe('a request by POST (OpenID Connect Core §3.1.2.1)', () => {
  it('comes from another site without the cookie: it is repeated by GET and finds the session', async () => {
    const browser = await signedIn(ada);
    const payload = new URLSearchParams(codeRequest(client, { state: 'a+b\r\n"' })).toString();
    const posted = await postForm(api, '/oauth/v2/authorize', payload, { origin: 'https://rp.test' });
    expect(posted.statusCode).toBe(303);
    expect(posted.headers['set-cookie']).toBeUndefined();
    expect(posted.headers.location).toMatch(/^\/oauth\/v2\/authorize\?client_id=/);
    const answered = await browser.get(posted.headers.location ?? '');
    expect(redirected(answered).get('state')).toBe('a+b\r\n"');
    expect((await idTokenOf(answered)).sub).toBe(ada.userId);
  });

  it('is answered at once where the cookie came along, never by a redirect that repeats it', async () => {
    const browser = await signedIn(ada);
    const answered = await browser.post('/oauth/v2/authorize', codeRequest(client));
    expect(answered.statusCode).toBe(303);
    expect(redirected(answered).has('code')).toBe(true);
    const asked = await browser.post('/oauth/v2/authorize', codeRequest(client, { prompt: 'login' }));
    expect(asked.statusCode).toBe(303);
    expect(isSignInPage(asked)).toBe(true);
    const refused = await browser.post('/oauth/v2/authorize', codeRequest(client, { scope: 'profile' }));
    expectRedirectedError(refused, 'invalid_scope');
  });
});

describe('two hundred requests of one browser at once (S043)', () => {
  it('are all answered, and few of their codes stay good', async () => {
    const browser = await signedIn(ada);
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(browser)));
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([302]));
    const { rows } = await api.sql.query<{ live: number }>(
      `SELECT count(*)::int AS live FROM codes c JOIN authorizations g ON g.id = c.authorization_id
       WHERE g.user_id = $1 AND c.used_at IS NULL AND c.expires_at > app_now()
         AND g.session_id = (SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1)`,
      [ada.userId],
    );
    // as many as a session may hold, and those of requests that ran side by side
    expect(rows[0]?.live).toBeLessThanOrEqual(10 + api.config.postgres.poolSize);
    expect(redirected(await ask(browser)).has('code')).toBe(true);
  });
});
