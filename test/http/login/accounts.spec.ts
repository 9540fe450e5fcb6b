import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
  tokensOf,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const ada = given(() => aUser(world, { profile: { displayName: 'Ada Lovelace' } }));
const eve = given(() => aUser(world, { profile: { displayName: 'Eve Adams' } }));

/** A browser in which these have signed in, the last one last. */
async function browserOf(...users: readonly TestUser[]): Promise<TestBrowser> {
  const browser = new TestBrowser(api);
  for (const user of users) {
    const answered = await browser.signIn(codeRequest(client, { prompt: 'login' }), user);
    expect(redirected(answered).get('code')).not.toBeNull();
  }
  return browser;
}

async function ask(browser: TestBrowser, changes: Record<string, string> = {}) {
  return await browser.get(authorizeUrl(codeRequest(client, changes)));
}

/** The list that a request leads to. */
async function list(browser: TestBrowser, changes: Record<string, string> = {}) {
  const asked = await ask(browser, changes);
  expect(asked.headers.location).toMatch(/^\/login\/accounts\?flow=/);
  return await browser.get(asked.headers.location ?? '');
}

/** Buttons of the list, in order. */
function accounts(page: LightMyRequestResponse) {
  return [...page.body.matchAll(/<button class="account"[^>]*value="([^"]+)">([\s\S]*?)<\/button>/g)].map(
    ([, id = '', content = '']) => ({
      id,
      loginName: [ada, eve].find(({ loginName }) => content.includes(loginName))?.loginName,
      isSignedIn: content.includes('class="state on"'),
    }),
  );
}

async function press(browser: TestBrowser, page: LightMyRequestResponse, button: Record<string, string>) {
  return await browser.post('/login/accounts', { ...hiddenFields(page.body), ...button });
}

async function subjectOf(answered: LightMyRequestResponse): Promise<string | undefined> {
  const tokens = await tokensOf(api, client, answered);
  return decodeJwt(tokens.id_token).sub;
}

describe('several accounts in one browser', () => {
  it('are offered where the request does not decide, last used first', async () => {
    const page = await list(await browserOf(ada, eve));
    expect(page.statusCode).toBe(200);
    expect(accounts(page)).toEqual([
      { id: expect.any(String) as string, loginName: eve.loginName, isSignedIn: true },
      { id: expect.any(String) as string, loginName: ada.loginName, isSignedIn: true },
    ]);
    expect(page.body).toContain('Ada Lovelace');
  });

  it.each([
    ['the first', 0],
    ['the second', 1],
  ])('go on with %s that is pressed', async (_name, index) => {
    const browser = await browserOf(ada, eve);
    const page = await list(browser);
    const answered = await press(browser, page, { account: accounts(page)[index]?.id ?? '' });
    expect(answered.statusCode).toBe(303);
    expect(redirected(answered).get('state')).toBe('Marker-state');
    expect(await subjectOf(answered)).toBe([eve, ada][index]?.userId);
  });

  it('are not asked about when an ID token names one', async () => {
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, ada, {}, browser);
    await browser.signIn(codeRequest(client, { prompt: 'login' }), eve);
    expect(await subjectOf(await ask(browser, { id_token_hint: tokens.id_token }))).toBe(ada.userId);
    const silent = await ask(browser, { id_token_hint: tokens.id_token, prompt: 'none' });
    expect(await subjectOf(silent)).toBe(ada.userId);
  });

  it('need a person: prompt=none is interaction_required, unless login_hint decides (S031)', async () => {
    const browser = await browserOf(ada, eve);
    expect(redirected(await ask(browser, { prompt: 'none' })).get('error')).toBe('interaction_required');
    const hinted = await ask(browser, { prompt: 'none', login_hint: ada.loginName });
    expect(await subjectOf(hinted)).toBe(ada.userId);
  });

  it('show the one that login_hint names first', async () => {
    const page = await list(await browserOf(ada, eve), { login_hint: ada.loginName });
    expect(accounts(page).map(({ loginName }) => loginName)).toEqual([ada.loginName, eve.loginName]);
  });

  it('are shown with prompt=select_account though there is only one', async () => {
    expect(accounts(await list(await browserOf(ada), { prompt: 'select_account' }))).toHaveLength(1);
  });

  it('lead to the sign-in page under select_account where there is none', async () => {
    const asked = await ask(new TestBrowser(api), { prompt: 'select_account' });
    expect(asked.headers.location).toMatch(/^\/login\?flow=/);
  });

  it('let somebody else sign in, who is then one of them', async () => {
    const browser = await browserOf(ada);
    const page = await list(browser, { prompt: 'select_account' });
    const other = await press(browser, page, { other: 'true' });
    const form = await browser.get(other.headers.location ?? '');
    const answered = await browser.post('/login', {
      ...hiddenFields(form.body),
      loginName: eve.loginName,
      password: PASSWORD,
    });
    expect(await subjectOf(answered)).toBe(eve.userId);
    expect(accounts(await list(browser))).toHaveLength(2);
  });

  it('are shown when the request names another by login_hint than the one signed in', async () => {
    const page = await list(await browserOf(ada), { login_hint: eve.loginName });
    expect(accounts(page).map(({ loginName }) => loginName)).toEqual([ada.loginName]);
  });
});

// whoever is signed in could otherwise ask name by name who has an account
describe('a login_hint of somebody else than who is signed in (S035)', () => {
  it('reads the same for a name that somebody has and for one that nobody has', async () => {
    const browser = await browserOf(ada);
    const known = await list(browser, { login_hint: eve.loginName });
    const unknown = await list(browser, { login_hint: `x${eve.loginName.slice(1)}` });
    expect(accounts(unknown)).toEqual(accounts(known));
    expect(unknown.body.length).toBe(known.body.length);
    for (const login_hint of [eve.loginName, 'nobody@nowhere.test']) {
      const silent = await ask(browser, { prompt: 'none', login_hint });
      expect(await subjectOf(silent)).toBe(ada.userId);
    }
  });
});

describe('somebody who must sign in again (S215)', () => {
  const nameIn = async (browser: TestBrowser, changes: Record<string, string>) => {
    const asked = await ask(browser, changes);
    expect(asked.headers.location).toMatch(/^\/login\?flow=/);
    const { body } = await browser.get(asked.headers.location ?? '');
    return /<input[^>]*name="loginName"[^>]*value="([^"]*)"/.exec(body)?.[1] ?? '';
  };

  it('finds their name filled in, by prompt=login and by max_age', async () => {
    const browser = await browserOf(ada);
    expect(await nameIn(browser, { prompt: 'login' })).toBe(ada.loginName);
    await api.advance(100);
    expect(await nameIn(browser, { max_age: '50' })).toBe(ada.loginName);
    const answered = await browser.signIn(codeRequest(client, { max_age: '50' }), ada);
    expect(await subjectOf(answered)).toBe(ada.userId);
  });

  it('may still sign in as somebody else', async () => {
    const browser = await browserOf(ada);
    const answered = await browser.signIn(codeRequest(client, { prompt: 'login' }), eve);
    expect(await subjectOf(answered)).toBe(eve.userId);
  });

  it('finds the name that the application knows, also where nobody has it', async () => {
    const browser = await browserOf(ada);
    for (const login_hint of [eve.loginName, 'nobody@nowhere.test']) {
      expect(await nameIn(browser, { prompt: 'login', login_hint })).toBe(login_hint);
    }
  });

  it('is known in their own browser alone, and of several only where the application named one of them', async () => {
    const sub = (userId: string) => JSON.stringify({ id_token: { sub: { value: userId } } });
    expect(await nameIn(new TestBrowser(api), { prompt: 'login' })).toBe('');
    expect(await nameIn(new TestBrowser(api), { prompt: 'login', claims: sub(ada.userId) })).toBe('');
    const both = await browserOf(ada, eve);
    expect(await nameIn(both, { prompt: 'login' })).toBe('');
    expect(await nameIn(both, { prompt: 'login', claims: sub(ada.userId) })).toBe(ada.loginName);
    const one = await browserOf(ada);
    expect(await nameIn(one, { prompt: 'login', claims: sub(eve.userId) })).toBe('');
  });
});

describe('an account whose session is too old for the request', () => {
  it('says so, and asks for the password with the name filled in', async () => {
    const browser = await browserOf(ada, eve);
    await api.advance(100);
    const page = await list(browser, { max_age: '50' });
    expect(accounts(page).map(({ isSignedIn }) => isSignedIn)).toEqual([false, false]);
    const pressed = await press(browser, page, { account: accounts(page)[1]?.id ?? '' });
    expect(pressed.headers.location).toMatch(/^\/login\?flow=/);
    const form = await browser.get(pressed.headers.location ?? '');
    expect(form.body).toContain(`value="${ada.loginName}"`);
    const answered = await browser.post('/login', {
      ...hiddenFields(form.body),
      loginName: ada.loginName,
      password: PASSWORD,
    });
    expect(await subjectOf(answered)).toBe(ada.userId);
  });

  it('is good enough when it was so as the request arrived', async () => {
    const browser = await browserOf(ada, eve);
    const page = await list(browser, { max_age: '50' });
    await api.advance(100);
    const answered = await press(browser, page, { account: accounts(page)[0]?.id ?? '' });
    expect(await subjectOf(answered)).toBe(eve.userId);
  });

  it('is never good enough under prompt=login (S033)', async () => {
    const browser = await browserOf(ada, eve);
    const page = await list(browser, { prompt: 'login select_account' });
    const pressed = await press(browser, page, { account: accounts(page)[0]?.id ?? '' });
    expect(pressed.headers.location).toMatch(/^\/login\?flow=/);
  });

  it('stays young by use, until it is too old altogether', async () => {
    const browser = await browserOf(ada);
    const day = 24 * 3600;
    for (const days of [2, 2, 2, 2]) {
      await api.advance(days * day);
      expect(redirected(await ask(browser, { prompt: 'none' })).has('code')).toBe(true);
    }
    await api.advance(2 * day);
    expect(redirected(await ask(browser, { prompt: 'none' })).get('error')).toBe('login_required');
  });

  it('is remembered when it was idle for too long, and asks for the password', async () => {
    const browser = await browserOf(ada);
    await api.advance(3 * 24 * 3600);
    expect((await ask(browser)).headers.location).toMatch(/^\/login\?flow=/);
    expect(redirected(await ask(browser, { prompt: 'none' })).get('error')).toBe('login_required');
    const page = await list(browser, { prompt: 'select_account' });
    expect(accounts(page)).toMatchObject([{ loginName: ada.loginName, isSignedIn: false }]);
    const pressed = await press(browser, page, { account: accounts(page)[0]?.id ?? '' });
    expect((await browser.get(pressed.headers.location ?? '')).body).toContain(`value="${ada.loginName}"`);
  });
});

describe('an account that leaves the list', () => {
  it('is signed out with its tokens, the other stays', async () => {
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, ada, { scope: 'openid' }, browser);
    await browser.signIn(codeRequest(client, { prompt: 'login' }), eve);
    const page = await list(browser);
    const removed = await press(browser, page, { remove: accounts(page)[1]?.id ?? '' });
    expect(removed.statusCode).toBe(303);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
    expect(await subjectOf(await ask(browser))).toBe(eve.userId);
  });

  it('leads to the sign-in page when it was the last', async () => {
    const browser = await browserOf(ada);
    const page = await list(browser, { prompt: 'select_account' });
    const removed = await press(browser, page, { remove: accounts(page)[0]?.id ?? '' });
    const empty = await browser.get(removed.headers.location ?? '');
    expect(empty.headers.location).toMatch(/^\/login\?flow=/);
  });
});

describe('the list', () => {
  it('does not take the account of another browser (S033, S038)', async () => {
    const strangers = accounts(await list(await browserOf(ada, eve)));
    const browser = await browserOf(ada);
    const page = await list(browser, { prompt: 'select_account' });
    for (const { id } of strangers) {
      const pressed = await press(browser, page, { account: id });
      expect(pressed.headers.location).toMatch(/^\/login\?flow=/);
      await press(browser, page, { remove: id });
    }
    expect(await subjectOf(await ask(browser))).toBe(ada.userId);
  });

  it.each([
    ['without its token', { csrf: '' }, {}],
    ['with the token of the sign-in form', undefined, {}],
    ['from another origin', {}, { origin: 'https://evil.test' }],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('takes no form %s (S040)', async (_name, changes, headers) => {
    const browser = await browserOf(ada);
    const page = await list(browser, { prompt: 'select_account' });
    const other = changes ?? {
      csrf: (await browser.openSignIn(codeRequest(client, { prompt: 'login' })))['csrf'] ?? '',
    };
    const form = { ...hiddenFields(page.body), account: accounts(page)[0]?.id ?? '', ...other };
    const refused = await browser.post('/login/accounts', form, headers);
    expect(refused.statusCode).toBe(403);
    expect(refused.headers.location).toBeUndefined();
  });

  it('is answered once', async () => {
    const browser = await browserOf(ada);
    const page = await list(browser, { prompt: 'select_account' });
    const account = accounts(page)[0]?.id ?? '';
    const answers = await Promise.all(Array.from({ length: 6 }, () => press(browser, page, { account })));
    expect(answers.filter((answer) => redirected(answer).has('code'))).toHaveLength(1);
    expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
  });
});

describe('a flow that is over', () => {
  it('offers to begin again, and goes on with the session that there is', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    await browser.post('/login', { ...fields, loginName: ada.loginName, password: PASSWORD });
    const back = await browser.get(`/login?flow=${fields['flow']}`);
    expect(back.statusCode).toBe(400);
    const again = /href="(\/login\/again\?flow=[^"]+)"/.exec(back.body)?.[1];
    expect(await subjectOf(await browser.get(again ?? ''))).toBe(ada.userId);
  });

  it('asks for the password again where it had expired', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    await api.advance(3601);
    expect((await browser.get(`/login?flow=${fields['flow']}`)).statusCode).toBe(400);
    const again = await browser.get(`/login/again?flow=${fields['flow']}`);
    expect(again.headers.location).toMatch(/^\/login\?flow=/);
    const form = await browser.get(again.headers.location ?? '');
    const answered = await browser.post('/login', {
      ...hiddenFields(form.body),
      loginName: ada.loginName,
      password: PASSWORD,
    });
    expect(redirected(answered).get('state')).toBe('Marker-state');
  });

  it('is begun again by another browser only as a flow of its own, and stays as it is (S038)', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const stranger = new TestBrowser(api);
    const again = await stranger.get(`/login/again?flow=${fields['flow']}`);
    expect(again.headers.location).toMatch(/^\/login\?flow=/);
    expect(again.headers.location).not.toContain(fields['flow']);
    const answered = await browser.post('/login', {
      ...fields,
      loginName: ada.loginName,
      password: PASSWORD,
    });
    expect(await subjectOf(answered)).toBe(ada.userId);
  });

  it('leads on after two tabs have made two browsers of a new one', async () => {
    const [first, second] = [new TestBrowser(api), new TestBrowser(api)];
    const fields = await first.openSignIn(codeRequest(client));
    await second.openSignIn(codeRequest(client));
    const credentials = { loginName: ada.loginName, password: PASSWORD };
    const refused = await second.post('/login', { ...fields, ...credentials });
    expect(refused.statusCode).toBe(403);
    const again = /href="(\/login\/again\?flow=[^"]+)"/.exec(refused.body)?.[1] ?? '';
    const form = await second.get((await second.get(again)).headers.location ?? '');
    const answered = await second.post('/login', { ...hiddenFields(form.body), ...credentials });
    expect(await subjectOf(answered)).toBe(ada.userId);
  });

  it('is not begun again while it is open: after a sign-in in two tabs at once the slower one goes on', async () => {
    const browser = new TestBrowser(api);
    const tabs = [
      await browser.openSignIn(codeRequest(client)),
      await browser.openSignIn(codeRequest(client)),
    ];
    const credentials = { loginName: ada.loginName, password: PASSWORD };
    const stale = { cookie: browser.cookieHeader };
    await browser.post('/login', { ...tabs[0], ...credentials });
    const late = await browser.post('/login', { ...tabs[1], ...credentials }, stale);
    expect(late.statusCode).toBe(403);
    const again = await browser.get(`/login/again?flow=${tabs[1]?.['flow']}`);
    expect(again.headers.location).toBe(`/login?flow=${tabs[1]?.['flow']}`);
    const form = hiddenFields((await browser.get(again.headers.location ?? '')).body);
    const answered = await browser.post('/login', { ...form, ...credentials });
    expect(await subjectOf(answered)).toBe(ada.userId);
  });
});
