import { request as httpRequest } from 'node:http';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { languages } from '../../../src/domain/shared/locale.js';
import { startTestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectPageHeaders } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));
const other = given(() => anOrganization(api));
/** Of an organization whose pages are Polish unless somebody wishes otherwise. */
const polish = given(() => anApplication(other));
beforeAll(async () => {
  const { pat } = await aServiceUser(other, 'ORG_OWNER');
  await call(api, 'PUT', 'policies/branding', { pat, body: { defaultLanguage: 'pl' } });
});

const languageOf = ({ body }: LightMyRequestResponse): string | undefined =>
  /<html lang="([^"]*)"/.exec(body)?.[1];

/** The footer's links, by language. */
function linksOf({ body }: LightMyRequestResponse): Readonly<Record<string, string>> {
  const links = Array.from(body.matchAll(/<a href="([^"]*)" lang="([^"]*)" hreflang="\2">/g));
  return Object.fromEntries(links.map(([, url = '', tag = '']) => [tag, unescapeHtml(url)]));
}

interface Wishes {
  readonly uiLocales?: string;
  readonly accepted?: string;
  readonly chosen?: string;
}

/** The sign-in page for somebody with these wishes. */
async function signInPage(application: TestClient, { uiLocales, accepted, chosen }: Wishes) {
  const browser = new TestBrowser(api);
  const changes = uiLocales === undefined ? {} : { ui_locales: uiLocales };
  const begun = await browser.get(authorizeUrl(codeRequest(application, changes)));
  if (chosen !== undefined) await browser.get(`/?language=${chosen}`);
  return await browser.get(
    begun.headers.location ?? '',
    accepted === undefined ? {} : { 'accept-language': accepted },
  );
}

describe('a page speaks', () => {
  const cases: readonly (readonly [string, Wishes, string])[] = [
    ['the reader’s choice before all else', { chosen: 'ja', uiLocales: 'fr', accepted: 'it' }, 'ja'],
    ['then what the application asks for', { uiLocales: 'fr', accepted: 'it' }, 'fr'],
    ['the first of those that we speak', { uiLocales: 'sv se de-CH fr', accepted: 'it' }, 'de'],
    ['then what the browser asks for', { accepted: 'it' }, 'it'],
    ['the best of those that we speak', { accepted: 'sv, nl;q=0.5, es;q=0.7' }, 'es'],
    ['Accept-Language when nothing of ui_locales matches', { uiLocales: 'sv tlh', accepted: 'pt-PT' }, 'pt'],
    ['then what the organization speaks', {}, 'pl'],
    ['the same when nothing matches', { uiLocales: 'sv', accepted: 'tlh, *;q=0.1' }, 'pl'],
    ['the whole of a tag only: Sami is not Spanish', { accepted: 'se' }, 'pl'],
    ['Chinese to whoever reads it', { accepted: 'zh-Hant-TW' }, 'zh'],
    ['no language that is refused', { accepted: 'de;q=0, nl;q=0.1' }, 'nl'],
    ['not even as what a tag falls back to', { accepted: 'de-CH, de;q=0, fr;q=0.5' }, 'fr'],
    ['nor as the organization’s', { accepted: 'pl;q=0' }, 'en'],
  ];
  it.each(cases)('%s', async (_rule, wishes, language) => {
    const page = await signInPage(polish, wishes);
    expect(page.statusCode).toBe(200);
    expect(languageOf(page)).toBe(language);
  });

  it('English when nobody says anything', async () => {
    expect(languageOf(await signInPage(client, {}))).toBe('en');
  });
});

describe('wishes that are none (S036)', () => {
  it.each([
    '../../etc/passwd',
    '/etc/passwd%00.de',
    'xx '.repeat(10_000),
    `${'xx '.repeat(9_999)}fr`,
    '{{constructor.constructor("return process")()}}',
    '${7777*7} #{7777*7} <%= 7777*7 %>',
    '__proto__ constructor toString',
    '"><script>alert(1)</script>',
    'fr\u0000',
    `${'fr-'.repeat(3000)}x`,
  ])('%.40s is ignored, and Accept-Language is used', async (uiLocales) => {
    const page = await signInPage(polish, { uiLocales, accepted: 'de-CH, en;q=0.5' });
    expect(page.statusCode).toBe(200);
    expect(languageOf(page)).toBe('de');
    // without what is random in it
    const body = page.body.replaceAll(/(?:nonce|value)="[^"]*"|flow=[\w-]{22}/g, '');
    expect(body).not.toMatch(/passwd|<script>alert|54439/);
  });

  it.each(['sv', 'DE', '', '../de', 'de fr', 'toString', '<b>', 'de\r\nset-cookie: x=1'])(
    'a choice of %j chooses nothing and is not kept',
    async (choice) => {
      const page = await new TestBrowser(api).get(`/?language=${encodeURIComponent(choice)}`, {
        'accept-language': 'nl',
      });
      expect(page.statusCode).toBe(200);
      expect(languageOf(page)).toBe('nl');
      expect(page.headers['set-cookie']).toBeUndefined();
    },
  );

  it('nor does a cookie that we did not write', async () => {
    for (const value of ['xx', '..', '"de"x', '%00', 'de%20']) {
      const cookie = `__Host-identity-language=${value}; identity-language=fr`;
      const page = await api.app.inject({ url: '/', headers: { cookie, 'accept-language': 'nl' } });
      expect(languageOf(page)).toBe('nl');
    }
  });
});

describe('the languages in the footer', () => {
  it('keep the page and its flow', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const location = begun.headers.location ?? '';
    const english = await browser.get(location);
    const links = linksOf(english);
    expect(Object.keys(links).sort()).toEqual(languages.filter((tag) => tag !== 'en').toSorted());
    for (const [tag, link] of Object.entries(links)) {
      expect(link).toBe(`${location}&language=${tag}`);
      const page = await browser.get(link);
      expect(page.statusCode).toBe(200);
      expect(languageOf(page)).toBe(tag);
      expectPageHeaders(page);
      expect(page.body).toContain('id="login-submit"');
      expect(hiddenFields(page.body)).toEqual(hiddenFields(english.body));
    }
    const answered = await browser.post('/login', {
      ...hiddenFields(english.body),
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(redirected(answered).get('code')).not.toBeNull();
  });

  it('are kept for the visit, in a cookie that holds nothing else', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client, { ui_locales: 'fr' })));
    const french = await browser.get(begun.headers.location ?? '');
    expect(languageOf(french)).toBe('fr');
    const german = await browser.get(linksOf(french)['de'] ?? '');
    expect(german.headers['set-cookie']).toBe(
      '__Host-identity-language=de; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect(languageOf(await browser.get(begun.headers.location ?? ''))).toBe('de');
    const refused = await browser.post('/login', {
      ...hiddenFields(german.body),
      loginName: 'x',
      password: 'y',
    });
    expect(refused.statusCode).toBe(400);
    expect(languageOf(refused)).toBe('de');
    const next = await browser.get(authorizeUrl(codeRequest(client, { ui_locales: 'fr' })));
    expect(languageOf(await browser.get(next.headers.location ?? ''))).toBe('de');
    expect(languageOf(await browser.get('/nowhere'))).toBe('de');
    // and another one replaces it
    await browser.get('/?language=pl');
    expect(languageOf(await browser.get('/'))).toBe('pl');
  });

  it('outlive the browser’s new secret after signing in', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    await browser.get('/?language=it');
    await browser.post('/login', { ...fields, loginName: user.loginName, password: PASSWORD });
    const home = await browser.get('/');
    expect(home.body).toContain(user.loginName);
    expect(languageOf(home)).toBe('it');
  });

  it.each([
    '/',
    '/nowhere?a=b&a=c',
    '/login?flow=AAAAAAAAAAAAAAAAAAAAAA',
    '/oauth/v2/authorize?client_id=1&state=%22%3E%3Cb%3E&ui_locales=fr',
    '/oidc/v1/end_session?client_id=unknown',
    '/oidc/v1/end_session?ui_locales=fr',
    '/verify/email?id=1&code=2',
    '/password/init?id=1',
  ])('lead from %s to the same in another language', async (url) => {
    const browser = new TestBrowser(api);
    const page = await browser.get(url);
    const link = linksOf(page)['ja'];
    expect(link).toMatch(/^\/[^/\\]?/);
    const japanese = await browser.get(link ?? '');
    expect(japanese.statusCode).toBe(page.statusCode);
    expect(languageOf(japanese)).toBe('ja');
    expect(linksOf(japanese)).toHaveProperty('en');
  });

  it('lead back to the form from the answer to it', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const refused = await browser.post('/login', { ...fields, loginName: 'x', password: 'y' });
    const form = await browser.get(linksOf(refused)['nl'] ?? '');
    expect(form.statusCode).toBe(200);
    expect(languageOf(form)).toBe('nl');
    expect(hiddenFields(form.body)['flow']).toBe(fields['flow']);
  });

  it('are not there on the answer to a form that cannot be asked for', async () => {
    const forged = await new TestBrowser(api).post('/login', { flow: 'x', csrf: 'x' });
    expect(forged.statusCode).toBe(403);
    expect(linksOf(forged)).toEqual({});
    expect(forged.body).not.toContain('hreflang');
    const other = await api.app.inject({ method: 'PUT', url: '/login' });
    expect(other.statusCode).toBe(405);
    expect(other.body).not.toContain('hreflang');
  });

  // on a real port, because `inject` tidies the path up
  it('lead nowhere else, whatever the request line says', async () => {
    await api.app.listen(0, '127.0.0.1');
    const { port } = new URL(await api.app.getUrl());
    for (const path of [
      '//evil.test/x',
      '/..//evil.test',
      '/./\\evil.test',
      'http://evil.test/x',
      '/nowhere',
    ]) {
      const body = await new Promise<string>((resolve, reject) => {
        const asked = httpRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
          response
            .setEncoding('utf8')
            .reduce((all: string, part: string) => all + part, '')
            .then(resolve, reject);
        });
        asked.once('error', reject).end();
      });
      expect(body.match(/hreflang=/g) ?? [], path).toHaveLength(path === '/nowhere' ? 9 : 0);
      expect(body).not.toContain('evil.test');
    }
  });

  it('choose for the page only when the link stands on another site', async () => {
    const page = await new TestBrowser(api).get('/?language=de', { 'sec-fetch-site': 'cross-site' });
    expect(languageOf(page)).toBe('de');
    expect(page.headers['set-cookie']).toBeUndefined();
  });
});

describe('ui_locales of other requests', () => {
  it('count where the page itself answers: signing out, errors, by GET and by POST', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const parameters = { client_id: 'unknown', redirect_uri: 'https://rp.test/cb', ui_locales: 'sv es' };
    expect(languageOf(await browser.get('/oidc/v1/end_session?ui_locales=es'))).toBe('es');
    expect(languageOf(await browser.get(authorizeUrl(parameters)))).toBe('es');
    expect(languageOf(await browser.post('/oauth/v2/authorize', parameters))).toBe('es');
    expect(languageOf(await browser.get('/?ui_locales=es', { 'accept-language': 'de' }))).toBe('es');
    // an application's wish is not kept
    expect(languageOf(await browser.get('/'))).toBe('en');
  });
});

it('on http on loopback the cookie has its plain name', async () => {
  const local = await startTestApi({ PUBLIC_URL: 'http://localhost:8080' }, api);
  try {
    const page = await new TestBrowser(local).get('/?language=de');
    expect(page.headers['set-cookie']).toBe('identity-language=de; Path=/; HttpOnly; SameSite=Lax');
  } finally {
    await local.close();
  }
});
