import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders } from '../oidc/support/answers.js';

// What every page and every form of ours holds to, whatever it is for.

const { api, world } = useWorld();
beforeAll(() => world.allowRegister());
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

/** Follows a redirect to a page of ours. */
async function follow(browser: TestBrowser, response: LightMyRequestResponse) {
  return await browser.get(response.headers.location ?? '');
}

async function stepOf(change: string): Promise<LightMyRequestResponse> {
  const other = await aUser(world);
  await api.sql.query(change, [other.userId]);
  const browser = new TestBrowser(api);
  return await follow(browser, await browser.signIn(codeRequest(client), other));
}

async function registrationAsked(browser: TestBrowser) {
  const begun = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'create' })));
  const form = await follow(browser, begun);
  const name = `new-${Math.random().toString(36).slice(2)}`;
  const typed = { email: `${name}@mail.test`, newPassword: PASSWORD };
  const asked = await browser.post('/register', { ...hiddenFields(form.body), ...typed });
  return { form, page: await follow(browser, asked) };
}

async function forgotten(browser: TestBrowser) {
  const form = hiddenFields((await browser.get('/password/forgotten')).body);
  return await browser.post('/password/forgotten', { ...form, loginName: user.loginName });
}

const PAGES: readonly [string, () => Promise<LightMyRequestResponse>][] = [
  ['home', () => new TestBrowser(api).get('/')],
  [
    'sign-in',
    async () => {
      const browser = new TestBrowser(api);
      return await follow(browser, await browser.get(authorizeUrl(codeRequest(client))));
    },
  ],
  [
    'a refused sign-in',
    async () => {
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(codeRequest(client));
      return await browser.post('/login', { ...fields, loginName: 'nobody', password: 'x' });
    },
  ],
  [
    'accounts',
    async () => {
      const browser = await aSignedInBrowser(api, client, user);
      const asked = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'select_account' })));
      return await follow(browser, asked);
    },
  ],
  [
    'change of the password',
    () => stepOf('UPDATE user_passwords SET change_required = true WHERE user_id = $1'),
  ],
  [
    'verification of the address',
    () => stepOf('UPDATE user_humans SET email_verified = false WHERE user_id = $1'),
  ],
  ['registration', async () => (await registrationAsked(new TestBrowser(api))).form],
  ['the code of a registration', async () => (await registrationAsked(new TestBrowser(api))).page],
  ['forgotten password', () => new TestBrowser(api).get('/password/forgotten')],
  ['a mail is on its way', () => forgotten(new TestBrowser(api))],
  [
    'a new password, by name',
    async () => {
      const sent = await forgotten(new TestBrowser(api));
      const url = /href="(\/password\/reset\?[^"]+)"/.exec(sent.body)?.[1] ?? '';
      return await new TestBrowser(api).get(unescapeHtml(url));
    },
  ],
  [
    'a new password, by the link of the mail',
    async () => {
      await api.advance(3600);
      await forgotten(new TestBrowser(api));
      return await new TestBrowser(api).get(linkIn((await collectMails(api)).at(-1), '/password/reset').url);
    },
  ],
  [
    'confirmation of a sign-out',
    async () => {
      const browser = await aSignedInBrowser(api, client, user);
      return await browser.get('/oidc/v1/end_session');
    },
  ],
  ['signed out', () => new TestBrowser(api).get('/oidc/v1/end_session')],
  [
    'an answer by form_post',
    () =>
      new TestBrowser(api).get(
        authorizeUrl(codeRequest(client, { prompt: 'none', response_mode: 'form_post' })),
      ),
  ],
  ['an error', () => new TestBrowser(api).get('/oauth/v2/authorize')],
  ['a flow that is not there', () => new TestBrowser(api).get('/login?flow=x')],
  ['a link that is over', () => new TestBrowser(api).get('/password/init?id=x')],
  ['a form that is not ours', () => new TestBrowser(api).post('/login', {})],
  ['nothing', () => new TestBrowser(api).get('/nothing')],
];

describe('every page (S010, S011)', () => {
  it.each(PAGES)('%s: no frame, nothing inline, no cache, no referrer', async (_name, open) => {
    const page = await open();
    expectPageHeaders(page);
    expect([200, 400, 403, 404]).toContain(page.statusCode);
    expect(page.body).not.toMatch(/\son[a-z]+=|\sstyle=|javascript:/i);
    const elsewhere = [...page.body.matchAll(/<[a-z]+[^>]* (?:src|href|action)="((?:https?:)?\/\/[^"]*)"/g)];
    const allowed = new Set<string | undefined>(['https://rp.test/cb']);
    expect(
      elsewhere
        .map(([, url]) => url)
        .filter((url) => !url?.startsWith('https://id.test/') && !allowed.has(url)),
    ).toEqual([]);
    const nonce = /'nonce-([^']+)'/.exec(String(page.headers['content-security-policy']))?.[1];
    for (const [tag] of page.body.matchAll(/<(?:script|style)[^>]*>/g))
      expect(tag).toContain(`nonce="${nonce}"`);
  });
});

const EVIL = {
  host: 'evil.test',
  'x-forwarded-host': 'evil.test',
  'x-forwarded-proto': 'http',
  'x-forwarded-prefix': '/evil',
  'x-original-url': 'https://evil.test/',
  forwarded: 'host=evil.test;proto=http',
};

describe('a Host or forwarded header of somebody else (S001, S002)', () => {
  it.each([
    '/',
    '/login',
    '/register',
    '/password/forgotten',
    '/oidc/v1/end_session',
    '/oauth/v2/authorize',
    '/nothing',
  ])('changes nothing on %s, nor where it leads', async (url) => {
    const response = await new TestBrowser(api).get(url, EVIL);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).not.toContain('evil');
    if (response.headers.location !== undefined) {
      expect(response.headers.location).toMatch(/^\/(?:login|register)\?flow=/);
    }
  });

  it('does not get into the links of mails', async () => {
    const other = await aUser(world);
    const browser = new TestBrowser(api);
    const form = hiddenFields((await browser.get('/password/forgotten', EVIL)).body);
    await browser.post('/password/forgotten', { ...form, loginName: other.loginName }, EVIL);
    const mail = (await collectMails(api)).find(({ to }) => to === `${other.userName}@mail.test`);
    expect(mail?.text).toContain('https://id.test/password/reset?id=');
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil');
  });
});

describe('names that others chose, in a mail (S059)', () => {
  it.each([
    '{{7777*7}}${7777*7}<%= 7777*7 %>',
    '<a href=//evil.test>click</a>',
    '<img src=x onerror=alert(1)>',
    'Ada\r\nBcc: evil@evil.test',
    '\u202Egro.live\u2066',
  ])('%j stays text, in one mail to one address', async (name) => {
    const other = await aUser(world, { profile: { firstName: name, lastName: name, displayName: name } });
    const browser = new TestBrowser(api);
    const form = hiddenFields((await browser.get('/password/forgotten')).body);
    await browser.post('/password/forgotten', { ...form, loginName: other.loginName });
    const address = `${other.userName}@mail.test`;
    const mails = (await collectMails(api)).filter(({ to }) => to.includes(other.userName));
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail?.to).toBe(address);
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(mail?.subject).not.toMatch(/[\u0000-\u001F\u202A-\u202E\u2066-\u2069]/);
    expect(mail?.html).not.toMatch(/<a href=\/\/evil|<img src=x|54439/);
    expect(mail?.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|^Bcc:/m);
  });
});

/** Every form of our pages leads to one of these. */
const FORMS = [
  '/login',
  '/login/accounts',
  '/login/change-password',
  '/login/verify-email',
  '/login/verify-email/resend',
  '/register',
  '/register/external',
  '/register/verify',
  '/register/verify/resend',
  '/password/forgotten',
  '/password/reset',
  '/password/init',
  '/passkey/register',
  '/verify/email',
  '/logout',
];

describe('every form', () => {
  it.each(FORMS)(
    '%s takes nothing that did not come from its page, and nothing empty (S040, S041)',
    async (url) => {
      const browser = await aSignedInBrowser(api, client, user);
      const { flow = '' } = await browser.openSignIn(codeRequest(client, { prompt: 'login' }));
      const right = { loginName: user.loginName, password: PASSWORD, newPassword: PASSWORD, code: 'AAAAAA' };
      const before = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
      for (const form of [
        {},
        { flow },
        { flow, ...right },
        { flow, ...right, csrf: 'x' },
        { id: 'x', ...right },
      ]) {
        for (const headers of [{}, { origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }]) {
          const refused = await browser.post(url, form, headers);
          expectErrorPage(refused, 403);
          expect(refused.headers['set-cookie']).toBeUndefined();
        }
      }
      expect(redirected(before).has('code')).toBe(true);
      expect(
        redirected(await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })))).has('code'),
      ).toBe(true);
    },
  );

  it('of an identify-only flow cannot be used for another step (S041)', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    for (const url of FORMS.slice(1)) {
      const refused = await browser.post(url, {
        ...fields,
        id: fields['flow'] ?? '',
        loginName: user.loginName,
        password: PASSWORD,
        newPassword: 'Marker-N3w-Passw0rd!',
        repeatPassword: 'Marker-N3w-Passw0rd!',
        code: 'AAAAAA',
        account: 'x',
      });
      expectErrorPage(refused, 403);
    }
    const answered = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(redirected(answered).has('code')).toBe(true);
  });
});

describe('parameters that other services are led astray by (S042)', () => {
  const TARGETS = ['//evil.test', '/\\evil.test', '/%09/evil.test', 'https:evil.test', 'https://evil.test/'];
  const NAMES = ['returnTo', 'return_to', 'next', 'continue', 'redirect', 'url', 'destination', 'goto'];

  it.each(['/login', '/login/again', '/login/accounts', '/register', '/password/forgotten', '/logout', '/'])(
    '%s stays with us',
    async (path) => {
      for (const target of TARGETS) {
        const query = new URLSearchParams(Object.fromEntries(NAMES.map((name) => [name, target]))).toString();
        const response = await new TestBrowser(api).get(`${path}?${query}`);
        expect(response.statusCode).toBeLessThan(500);
        const { location } = response.headers;
        if (location !== undefined) expect(location).toMatch(/^\/(?:login|register)\?flow=/);
        expect(response.body).not.toMatch(/(?:href|action)="(?:https?:)?[/\\]*evil/);
      }
    },
  );
});

describe('more than anybody sends (S005)', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['a claims parameter that nests', { claims: '['.repeat(8000) }, {}],
    ['a claims parameter of objects', { claims: '{"a":'.repeat(1500) }, {}],
    [
      'claims by the hundred',
      {
        claims: JSON.stringify({
          userinfo: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`c${n}`, null])),
        }),
      },
      {},
    ],
    [
      'a claims parameter named like a prototype',
      { claims: '{"__proto__":{"id_token":{"sub":{"value":"x"}}},"userinfo":{"__proto__":{}}}' },
      {},
    ],
    [
      'languages by the thousand',
      { ui_locales: 'de '.repeat(3000) },
      { 'accept-language': 'de,'.repeat(1500) },
    ],
    ['a User-Agent of 8 kB', {}, { 'user-agent': 'Mozilla/5.0 (X11; Linux) '.repeat(330) }],
    ['a hundred cookies', {}, { cookie: Array.from({ length: 300 }, (_, n) => `c${n}=v`).join('; ') }],
  ])('%s is answered like any other', async (_name, parameters, headers) => {
    const response = await api.app.inject({ url: authorizeUrl(codeRequest(client, parameters)), headers });
    expect(response.statusCode).toBe(302);
    const { location = '' } = response.headers;
    const error = location.startsWith('/') ? null : new URL(location).searchParams.get('error');
    expect([null, 'invalid_request']).toContain(error);
  });

  it('nothing of a User-Agent is kept but words of ours', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const other = await aUser(world);
    const form = { ...fields, loginName: other.loginName, password: PASSWORD };
    await browser.post('/login', form, { 'user-agent': `<script>${'x'.repeat(9000)}Firefox/ Windows` });
    const { rows } = await api.sql.query<{ device: string | null }>(
      `SELECT device FROM sessions WHERE user_id = $1`,
      [other.userId],
    );
    expect(rows).toEqual([{ device: null }]);
  });
});

describe('tokens where they do not belong (S012)', () => {
  it.each(['/management/v1/users/1', '/management/v1/policies/login', '/oidc/v1/userinfo'])(
    '%s does not read one from the query',
    async (path) => {
      const tokens = await obtainTokens(api, client, user);
      for (const name of ['access_token', 'token', 'authorization']) {
        const response = await api.app.inject(`${path}?${name}=${tokens.access_token}`);
        expect(response.statusCode).toBe(401);
        expect(response.body).not.toContain(tokens.access_token);
      }
    },
  );
});

describe('other spellings of a privileged path (S003)', () => {
  it.each([
    '/management;x/v1/policies/login',
    '/%6Danagement/v1/policies/login',
    '//management/v1/policies/login',
    '/auth/v1/../../management/v1/policies/login',
    '/login/..%2fmanagement/v1/policies/login',
    '/management/v1/policies/login/',
    '/management/v1/policies/login.',
    '/Management/V1/policies/login',
    '/management/v1/policies/login%2f',
    '/management\\v1\\policies\\login',
  ])('%s gives nothing to nobody', async (url) => {
    const tokens = await obtainTokens(api, client, user);
    for (const headers of [{}, { authorization: `Bearer ${tokens.access_token}` }]) {
      const response = await api.app.inject({ url, headers });
      expect([400, 401, 403, 404]).toContain(response.statusCode);
    }
  });
});
