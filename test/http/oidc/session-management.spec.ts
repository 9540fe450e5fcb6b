import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  HYBRID,
  TestBrowser,
} from '../../support/browser-flow.js';
import { askFrame, type Asked } from '../../support/check-session.js';
import { given } from '../../support/given.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Scripts of an application notice that somebody has signed in or out, by a frame of ours that they ask (OpenID Connect Session
// Management 1.0).

const SETTINGS = { HYBRID_FLOW: 'on', JWT_RESPONSE_MODES: 'on' };
const { api, world } = useWorld({ ...SETTINGS, SESSION_MANAGEMENT: 'on' });
const off = useReplica(api, SETTINGS);
const user = given(() => aUser(world));
const client = given(() => anApplication(world, { ...HYBRID, sessionManagement: true }));
const plain = given(() => anApplication(world));

const COOKIE = '__Host-identity-state';
const PAGE = '/oidc/v1/check_session';
const ORIGIN = 'https://rp.test';

const stateCookie = (response: LightMyRequestResponse) =>
  response.cookies.find(({ name }) => name === COOKIE)?.value;
const stateOf = (browser: TestBrowser) =>
  browser.cookieHeader.split('; ').find((one) => one.startsWith(`${COOKIE}=`)) ?? '';

async function answers(
  browser: TestBrowser,
  changes: Record<string, string> = {},
  of: TestClient = client,
): Promise<URLSearchParams> {
  return answerOf(await browser.get(authorizeUrl(codeRequest(of, { prompt: 'none', ...changes }))))
    .parameters;
}

async function asks(
  browser: TestBrowser,
  message: unknown,
  { origin = ORIGIN, ...others }: Partial<Omit<Asked, 'message' | 'cookies'>> = {},
) {
  const page = await api.app.inject(PAGE);
  const answered = await askFrame(page.body, { message, origin, cookies: stateOf(browser), ...others });
  // to nobody but who has asked
  if (answered !== undefined) expect(answered.to).toBe(origin);
  return answered?.text;
}

/** A browser, and what the application asks the frame with. */
async function watching(of: TestUser = user) {
  const browser = await aSignedInBrowser(api, client, of);
  const sessionState = (await answers(browser)).get('session_state') ?? '';
  return { browser, sessionState, message: `${client.clientId} ${sessionState}` };
}

describe('an answer', () => {
  it.each([
    ['code', 'query'],
    ['code', 'form_post'],
    ['code id_token token', 'fragment'],
    ['code id_token', 'form_post'],
  ])('of %s by %s has a session state, new each time', async (response_type, response_mode) => {
    const { browser, sessionState } = await watching();
    const next = (await answers(browser, { response_type, response_mode })).get('session_state') ?? '';
    expect(next).toMatch(/^[0-9a-f]{64}\.[A-Za-z0-9_-]{22}$/);
    expect(next).not.toBe(sessionState);
    expect(await asks(browser, `${client.clientId} ${next}`)).toBe('unchanged');
  });

  it('as a JWT has it inside', async () => {
    const { browser } = await watching();
    const parameters = await answers(browser, { response_mode: 'jwt' });
    expect([...parameters.keys()]).toEqual(['response']);
    const [, claims = ''] = (parameters.get('response') ?? '').split('.');
    const { session_state } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      session_state: string;
    };
    expect(await asks(browser, `${client.clientId} ${session_state}`)).toBe('unchanged');
  });

  it('of the sign-in itself has one as well', async () => {
    const browser = new TestBrowser(api);
    const { parameters } = answerOf(await browser.signIn(codeRequest(client), user));
    expect(await asks(browser, `${client.clientId} ${parameters.get('session_state')}`)).toBe('unchanged');
  });

  it('has none for an application that does not watch, and a refusal has none', async () => {
    const { browser } = await watching();
    expect([...(await answers(browser, {}, plain)).keys()]).toEqual(['code', 'state', 'iss']);
    const refused = await answers(new TestBrowser(api));
    expect([...refused.keys()]).toEqual(['error', 'error_description', 'state', 'iss']);
  });
});

describe('the cookie', () => {
  it('goes to frames of other sites and to scripts, and is a hash that names nothing', async () => {
    const { browser } = await watching();
    const again = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    const cookies = [again.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(
      /^__Host-identity-state=[A-Za-z0-9_-]{43}; Max-Age=31536000; Path=\/; Secure; SameSite=None$/,
    );
    const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM sessions`);
    for (const { id } of rows) expect(stateOf(browser)).not.toContain(id);
    expect(stateOf(browser)).not.toContain(browser.userAgentSecret);
  });

  it('signs nobody in, and the first cookie stays as it was', async () => {
    const browser = new TestBrowser(api);
    const answered = await browser.signIn(codeRequest(client), user);
    const [first, second] = answered.cookies.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(first).toMatchObject({ name: '__Host-identity-agent', httpOnly: true, sameSite: 'Lax' });
    expect(second).toMatchObject({ name: COOKIE, sameSite: 'None' });
    const stolen = await api.app.inject({
      url: authorizeUrl(codeRequest(client, { prompt: 'none' })),
      headers: { cookie: `${stateOf(browser)}; __Host-identity-agent=${second?.value}` },
    });
    expect(answerOf(stolen).parameters.get('error')).toBe('login_required');
  });

  it('is not touched by a request that comes without the first, as from a frame of another site', async () => {
    const stranger = await api.app.inject({
      url: authorizeUrl(codeRequest(client)),
      headers: { cookie: stateOf((await watching()).browser) },
    });
    expect(stranger.cookies.map(({ name }) => name)).toEqual(['__Host-identity-agent']);
  });

  it('is the same on every replica, and while nobody signs in or out', async () => {
    const { browser } = await watching();
    const before = stateOf(browser);
    await answers(browser);
    await browser.get('/account');
    expect(stateOf(browser)).toBe(before);
  });
});

describe('the state changes', () => {
  const CHANGES: [string, (browser: TestBrowser) => Promise<unknown>][] = [
    [
      'when the user signs out',
      async (browser) => {
        const question = await browser.get('/oidc/v1/end_session');
        await browser.post('/logout', hiddenFields(question.body));
      },
    ],
    [
      'when they sign in again',
      async (browser) => {
        await api.advance(2);
        await browser.signIn(codeRequest(plain, { prompt: 'login' }), user);
      },
    ],
    [
      'when somebody else signs in as well',
      async (browser) => await browser.signIn(codeRequest(plain, { prompt: 'login' }), await aUser(world)),
    ],
    [
      'when the account leaves the list',
      async (browser) => {
        const asked = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'select_account' })));
        const page = await browser.get(asked.headers.location ?? '');
        const account = /name="remove" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
        await browser.post('/login/accounts', { ...hiddenFields(page.body), remove: account });
      },
    ],
    [
      'when an application asks after the session was ended elsewhere',
      async (browser) => {
        await api.sql.query(
          `UPDATE sessions SET ended_at = app_now(), end_reason = 'test' WHERE user_id = $1`,
          [user.userId],
        );
        await answers(browser);
      },
    ],
  ];

  it.each(CHANGES)('%s', async (_name, happens) => {
    const { browser, message } = await watching();
    expect(await asks(browser, message)).toBe('unchanged');
    await happens(browser);
    expect(await asks(browser, message)).toBe('changed');
  });
});

describe('the page', () => {
  it('may be framed by anybody, runs its one script and reaches nothing', async () => {
    const page = await api.app.inject(PAGE);
    expect(page.statusCode).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'none'; frame-ancestors \*; base-uri 'none'$/,
    );
    // the same for everybody: there is nothing in it to read
    const { browser } = await watching();
    expect((await browser.get(PAGE)).body).toBe(page.body);
    expect(page.cookies).toEqual([]);
  });

  it.each(['/', '/login', '/oidc/v1/end_session', '/register', '/nothing', '/account'])(
    'is the only one: %s stays unframed (S294)',
    async (url) => {
      const { browser } = await watching();
      const first = await browser.get(url);
      const page = first.headers.location === undefined ? first : await browser.get(first.headers.location);
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    },
  );

  it('tells a stranger nothing (S294)', async () => {
    const { browser, message } = await watching();
    const bare = new TestBrowser(api);
    // with a cookie and without one it is the same word
    for (const one of [browser, bare]) {
      expect(await asks(one, message, { origin: 'https://evil.test' })).toBe('changed');
      expect(await asks(one, `${plain.clientId} ${'0'.repeat(64)}.${'A'.repeat(22)}`)).toBe('changed');
    }
    expect(await asks(browser, message, { origin: 'null' })).toBeUndefined();
  });

  it('answers the origin of the page that has it in a frame, as far as the browser tells, and no other (S505)', async () => {
    const { browser, message } = await watching();
    const evil = 'https://evil.test';
    for (const parent of [
      { ancestorOrigins: [ORIGIN, evil] },
      { ancestorOrigins: ['null'], referrer: `${ORIGIN}/page?x` },
      { referrer: `${ORIGIN}/` },
    ]) {
      expect(await asks(browser, message, parent)).toBe('unchanged');
      expect(await asks(browser, message, { ...parent, origin: evil })).toBeUndefined();
      expect(await asks(browser, 'hello', { ...parent, origin: evil })).toBeUndefined();
    }
    // a browser that tells nothing: by what is hashed it is the same
    for (const untold of [{}, { ancestorOrigins: [] }, { ancestorOrigins: ['null'] }]) {
      expect(await asks(browser, message, untold)).toBe('unchanged');
      expect(await asks(browser, message, { ...untold, origin: evil })).toBe('changed');
    }
  });

  it.each([
    ['nothing', ''],
    ['an object', { client_id: 'x' }],
    ['no state', 'client'],
    ['no client', ` ${'0'.repeat(64)}.${'A'.repeat(22)}`],
    ['no salt', `client ${'0'.repeat(64)}`],
    ['a space in the salt', `client ${'0'.repeat(64)}.${'A'.repeat(10)} ${'A'.repeat(11)}`],
    ['much', 'x'.repeat(100_000)],
  ])('calls %s an error (S294)', async (_name, message) => {
    expect(await asks((await watching()).browser, message)).toBe('error');
  });

  it('says error where the browser keeps cookies from frames, whoever is signed in', async () => {
    const { browser, message } = await watching();
    for (const one of [browser, new TestBrowser(api)]) {
      expect(await asks(one, message, { cookiesReadable: false })).toBe('error');
    }
  });
});

describe('an instance that does not serve it', () => {
  it('has no such page, and says nothing of it in discovery', async () => {
    expect((await off.app.inject(PAGE)).statusCode).toBe(404);
    const path = '/.well-known/openid-configuration';
    const { check_session_iframe, ...others } = (await api.app.inject(path)).json<Record<string, unknown>>();
    expect(check_session_iframe).toBe(`https://id.test${PAGE}`);
    expect((await off.app.inject(path)).body).toBe(JSON.stringify(others));
  });

  it('gives one cookie and no session state', async () => {
    const browser = new TestBrowser(off);
    const answered = await browser.signIn(codeRequest(client), user);
    expect(stateCookie(answered)).toBeUndefined();
    expect([...(await answers(browser)).keys()]).toEqual(['code', 'state', 'iss']);
    expect(browser.cookieHeader).not.toContain('identity-state');
  });
});
