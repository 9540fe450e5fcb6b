import { describe, expect, it } from 'vitest';
import { aReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders, expectRedirectedError } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));
const other = given(() => aUser(world));

const credentials = () => ({ loginName: user.loginName, password: PASSWORD });

async function hasSession(browser: TestBrowser): Promise<boolean> {
  const response = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  return redirected(response).has('code');
}

async function countSessions(): Promise<number> {
  const { rows } = await api.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM sessions`);
  return rows[0]?.n ?? -1;
}

describe('the cookie (S039)', () => {
  it('is pinned to this host, this browser and https', async () => {
    const begun = await api.app.inject(authorizeUrl(codeRequest(client)));
    const cookie = String(begun.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-identity-agent=[A-Za-z0-9_-]{43}; /);
    expect(cookie.split('; ').slice(1).toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=31536000', 'Path=/', 'SameSite=Lax', 'Secure'].toSorted(),
    );
    expect(begun.headers['cache-control']).toBe('no-store');
  });

  it('changes at sign-in, and the previous one is dead', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const planted = browser.cookieHeader;
    const answered = await browser.post('/login', { ...fields, ...credentials() });
    expect(answered.cookies).toHaveLength(1);
    expect(browser.cookieHeader).not.toBe(planted);
    expect(await hasSession(browser)).toBe(true);
    const thief = await api.app.inject({
      url: authorizeUrl(codeRequest(client, { prompt: 'none' })),
      headers: { cookie: planted },
    });
    expectRedirectedError(thief, 'login_required');
  });

  it('changes at every further sign-in', async () => {
    const browser = new TestBrowser(api);
    const secrets = new Set<string | undefined>();
    for (let n = 0; n < 3; n += 1) {
      await browser.signIn(codeRequest(client, { prompt: 'login' }), user);
      secrets.add(browser.userAgentSecret);
    }
    expect(secrets.size).toBe(3);
  });

  it('stays as it is where nothing changes', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    for (const changes of [{}, { prompt: 'none' }, { prompt: 'login' }]) {
      const response = await browser.get(authorizeUrl(codeRequest(client, changes)));
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  });

  it('is stored as a hash only', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const { rows } = await api.sql.query(
      `SELECT 1 FROM user_agents a WHERE a.*::text LIKE '%' || $1 || '%'`,
      [browser.userAgentSecret],
    );
    expect(rows).toEqual([]);
  });
});

describe('a flow belongs to the browser that began it (S038)', () => {
  it('whoever else opens its address gets nothing', async () => {
    const attacker = new TestBrowser(api);
    const begun = await attacker.get(authorizeUrl(codeRequest(client)));
    const victim = new TestBrowser(api);
    await victim.get(authorizeUrl(codeRequest(client)));
    for (const browser of [victim, new TestBrowser(api)]) {
      const response = await browser.get(begun.headers.location ?? '');
      expect(response.statusCode).toBe(400);
      expect(response.body).not.toContain('name="password"');
    }
  });

  it('a form of it, sent by another browser, signs nobody in', async () => {
    const attacker = new TestBrowser(api);
    const fields = await attacker.openSignIn(codeRequest(client));
    const victim = new TestBrowser(api);
    await victim.get(authorizeUrl(codeRequest(client)));
    const before = await countSessions();
    expectErrorPage(await victim.post('/login', { ...fields, ...credentials() }), 403);
    expect(await hasSession(victim)).toBe(false);
    expect(await hasSession(attacker)).toBe(false);
    expect(await countSessions()).toBe(before);
  });

  it('is answered once: sent again, and sent twice at once', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const answered = await browser.post('/login', { ...fields, ...credentials() });
    expect(redirected(answered).has('code')).toBe(true);
    const again = await browser.post('/login', { ...fields, ...credentials() });
    expectErrorPage(again, 400, `/login/again?flow=${fields['flow']}`);

    const hasty = new TestBrowser(api);
    const form = { ...(await hasty.openSignIn(codeRequest(client))), ...credentials() };
    const { cookieHeader } = hasty;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => postForm(api, '/login', form, { cookie: cookieHeader })),
    );
    const codes = answers.filter((answer) => redirected(answer).has('code'));
    expect(codes).toHaveLength(1);
    for (const answer of answers) if (answer !== codes[0]) expect([400, 403]).toContain(answer.statusCode);
  });

  it('is answered, or refused with a page, when another account signs in at once in another tab', async () => {
    for (let round = 0; round < 10; round += 1) {
      const browser = new TestBrowser(api);
      const first = await browser.openSignIn(codeRequest(client));
      const second = await browser.openSignIn(codeRequest(client));
      const { cookieHeader } = browser;
      const answers = await Promise.all(
        [
          { ...first, ...credentials() },
          { ...second, loginName: other.loginName, password: PASSWORD },
        ].map((form) => postForm(api, '/login', form, { cookie: cookieHeader })),
      );
      const statuses = answers.map((answer) => answer.statusCode).toSorted();
      expect(statuses).toContain(303);
      for (const status of statuses) expect([303, 400, 403]).toContain(status);
    }
  });

  it('makes room for the fiftieth after it in the same browser, so that nobody fills the table', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const begin = async () => await browser.openSignIn(codeRequest(client, { prompt: 'login' }));
    const first = await begin();
    const second = await begin();
    for (let n = 0; n < 49; n += 1) await browser.get(authorizeUrl(codeRequest(client, { prompt: 'login' })));
    expectErrorPage(await browser.post('/login', { ...first, ...credentials() }), 403);
    const answered = await browser.post('/login', { ...second, ...credentials() });
    expect(redirected(answered).has('code')).toBe(true);

    const url = authorizeUrl(codeRequest(client, { prompt: 'login' }));
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await browser.get(url)).statusCode),
    );
    expect(new Set(statuses)).toEqual(new Set([302]));
    await browser.get(url);
    const { rows } = await api.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM auth_requests r JOIN user_agents a ON a.id = r.user_agent_id
       WHERE a.secret_hash = sha256($1::bytea)`,
      [browser.userAgentSecret],
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(60);
  });

  it('ends after an hour', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    await api.advance(3601);
    const late = await browser.post('/login', { ...fields, ...credentials() });
    expectErrorPage(late, 400, `/login/again?flow=${fields['flow']}`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('ends when the application is switched off', async () => {
    const own = await anApplication(await anOrganization(api));
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(own));
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE id = $1`, [own.id]);
    const response = await browser.post('/login', { ...fields, ...credentials() });
    expect(response.statusCode).toBe(400);
    expectPageHeaders(response);
    expect(await hasSession(browser)).toBe(false);
  });

  it('two flows in two tabs are both answered', async () => {
    const browser = new TestBrowser(api);
    const first = await browser.openSignIn(codeRequest(client, { state: 'one' }));
    const second = await browser.openSignIn(codeRequest(client, { state: 'two', prompt: 'login' }));
    for (const [fields, state] of [
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      const answered = await browser.post('/login', { ...fields, ...credentials() });
      expect(redirected(answered).get('state')).toBe(state);
      expect(redirected(answered).has('code')).toBe(true);
    }
  });
});

describe('a form that is not ours (S040)', () => {
  const headersOf = (headers: Record<string, string>) => headers;
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without its token', { csrf: '' }, {}],
    ['with a token cut short', { csrf: 'AAAA' }, {}],
    ['with a token of the right length', { csrf: 'A'.repeat(43) }, {}],
    ['without its flow', { flow: '' }, {}],
    ['with another flow', { flow: 'A'.repeat(22) }, {}],
    ['from another origin', {}, headersOf({ origin: 'https://evil.test' })],
    ['from a sub-domain', {}, headersOf({ origin: 'https://x.id.test' })],
    ['from http', {}, headersOf({ origin: 'http://id.test' })],
    ['from another port', {}, headersOf({ origin: 'https://id.test:8443' })],
    ['that the browser calls cross-site', {}, headersOf({ 'sec-fetch-site': 'cross-site' })],
  ])('%s', async (_name, changes, headers) => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const response = await browser.post('/login', { ...fields, ...credentials(), ...changes }, headers);
    expectErrorPage(response, 403);
    expect(await hasSession(browser)).toBe(false);
  });

  it('with the token of another flow of the same browser', async () => {
    const browser = new TestBrowser(api);
    const first = await browser.openSignIn(codeRequest(client));
    const second = await browser.openSignIn(codeRequest(client));
    expect(first['csrf']).not.toBe(second['csrf']);
    const mixed = { ...first, csrf: second['csrf'] ?? '', ...credentials() };
    expectErrorPage(await browser.post('/login', mixed), 403);
    expect(await hasSession(browser)).toBe(false);
  });

  it('without the cookie', async () => {
    const fields = await new TestBrowser(api).openSignIn(codeRequest(client));
    expectErrorPage(await new TestBrowser(api).post('/login', { ...fields, ...credentials() }), 403);
  });

  it.each(['https://id.test', 'null'])('is ours from %s', async (origin) => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const headers = { origin, 'sec-fetch-site': 'same-origin' };
    const answered = await browser.post('/login', { ...fields, ...credentials() }, headers);
    expect(redirected(answered).has('code')).toBe(true);
  });
});

describe('many sign-ins at once', () => {
  // each holds a connection while it commits; none may wait for a second one meanwhile
  it('share a pool of two connections', async () => {
    const narrow = await aReplica(api, { DATABASE_POOL_SIZE: '2' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => new TestBrowser(narrow).signIn(codeRequest(client), user)),
    );
    for (const answer of answers) expect(redirected(answer).has('code')).toBe(true);
  });
});

describe('on http on loopback', () => {
  it('the cookie has a plain name, since browsers refuse the prefix there', async () => {
    const local = await aReplica(api, { PUBLIC_URL: 'http://localhost:8080' });
    const browser = new TestBrowser(local);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const cookie = String(begun.headers['set-cookie']);
    expect(cookie).toMatch(/^identity-agent=[A-Za-z0-9_-]{43}; /);
    expect(cookie).not.toContain('Secure');
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Lax');
    expect(begun.headers['strict-transport-security']).toBeUndefined();
    const page = await browser.get(begun.headers.location ?? '');
    const answered = await browser.post('/login', { ...hiddenFields(page.body), ...credentials() });
    expect(redirected(answered).get('iss')).toBe('http://localhost:8080');
  });
});
