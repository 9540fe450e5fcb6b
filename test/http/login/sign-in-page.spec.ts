import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectNoInsides, expectPageHeaders } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

async function open(
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
  application = client,
) {
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(codeRequest(application, changes)));
  return await browser.get(begun.headers.location ?? '', headers);
}

describe('the sign-in page', () => {
  it('keeps to itself: no frame, no cache, no referrer, nothing inline (S010, S011)', async () => {
    const page = await open();
    expect(page.statusCode).toBe(200);
    expectPageHeaders(page);
    expectNoInsides(page);
    expect(page.body).toContain('<h1>Sign in</h1>');
    expect(page.body).toMatch(/<form method="post" action="\/login"/);
    expect(page.body).not.toMatch(/ on[a-z]+="/);
  });

  // no origins: Chromium holds whatever the application's callback redirects to against them (test/browser)
  it('lets its form lead to web addresses, or to the scheme of the application that asked', async () => {
    const formAction = async (response: Promise<{ headers: Record<string, unknown> }>) =>
      /form-action ([^;]*);/.exec(String((await response).headers['content-security-policy']))?.[1];
    expect(await formAction(open())).toBe("'self' https:");
    const native = await anApplication(world, { appType: 'native', redirectUris: ['com.example.app:/cb'] });
    expect(await formAction(open({ redirect_uri: 'com.example.app:/cb' }, {}, native))).toBe(
      "'self' com.example.app:",
    );
  });

  // `;` begins another directive and `,` another policy; both may stand in a host
  it.each(['https://rp.test;sandbox/cb', 'https://rp.test,sandbox/cb'])(
    'does not let %s write into the policy',
    async (uri) => {
      const odd = await anApplication(world, { redirectUris: [uri] });
      const policy = String((await open({ redirect_uri: uri }, {}, odd)).headers['content-security-policy']);
      expect(policy).not.toContain('sandbox');
      expect(policy).toContain("form-action 'self' https:;");
    },
  );

  it('has a fresh nonce each time', async () => {
    const nonces = await Promise.all(
      Array.from(
        { length: 3 },
        async () => /nonce-([^']+)'/.exec(JSON.stringify((await open()).headers))?.[1],
      ),
    );
    expect(new Set(nonces).size).toBe(3);
  });
});

describe('login_hint (S035)', () => {
  it.each([
    ['<img src=x onerror=alert(1)>'],
    ['"><script>alert(1)</script>'],
    ["' autofocus onfocus='alert(1)"],
    ["' OR 1=1--"],
    ['*)(uid=*'],
    ['{{7*7}}${7*7}'],
    ['javascript:alert(1)'],
    ['\u202eadmin'],
  ])('%s is text', async (hint) => {
    const page = await open({ login_hint: hint });
    expect(page.statusCode).toBe(200);
    const value = /<input[^>]*id="loginName"[^>]*value="([^"]*)"/.exec(page.body)?.[1];
    expect(unescapeHtml(value ?? '')).toBe(hint);
    expect(value).not.toMatch(/[<>"']/);
  });

  it('does not tell whether there is such a user', async () => {
    const unknown = user.loginName.replace(/^user/, 'resu');
    const known = await open({ login_hint: user.loginName });
    const other = await open({ login_hint: unknown });
    expect(known.body.length).toBe(other.body.length);
    expect(Object.keys(known.headers)).toEqual(Object.keys(other.headers));
    expect(neutral(known.body).replaceAll(user.loginName, '')).toBe(
      neutral(other.body).replaceAll(unknown, ''),
    );
  });

  it('fills the field, plus sign included', async () => {
    expect((await open({ login_hint: 'ada+test@mail.test' })).body).toContain('value="ada+test@mail.test"');
  });
});

describe('ui_locales and Accept-Language (S036)', () => {
  it.each([
    ['../../etc/passwd', 'en'],
    ['xx '.repeat(10_000), 'xx'],
    ['{{constructor.constructor("return process")()}}', '*'],
    ['__proto__ constructor', 'constructor, __proto__;q=0.5'],
    ['en', 'a;q=x, b;q=;;, ,;q=1,*;q=0'],
    ['en', `${'a-'.repeat(4000)}b`],
  ])('%s', async (locales, accepted) => {
    const page = await open({ ui_locales: locales }, { 'accept-language': accepted });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('<html lang="en"');
  });
});

describe('names that others chose', () => {
  it('are text: of the application and of the organization', async () => {
    const hostile = await anApplication(world, { name: '<b>App</b>\u202e"' });
    await api.sql.query(`UPDATE organizations SET name = '<script>Org</script>' WHERE id = $1`, [
      world.orgId,
    ]);
    const page = await open({}, {}, hostile);
    expect(page.body).toContain('&lt;b&gt;App&lt;/b&gt;');
    expect(page.body).not.toContain('<b>App');
    expect(page.body).not.toContain('\u202e');
    expect(page.body).not.toContain('<script>Org');
  });
});

describe('a flow that is not there', () => {
  it.each([
    '/login?flow=AAAAAAAAAAAAAAAAAAAAAA',
    '/login?flow=%00',
    '/login?flow=../../x',
    `/login?flow=${'A'.repeat(5000)}`,
  ])('%s is an expired sign-in', async (url) => {
    const response = await new TestBrowser(api).get(url);
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain('expired');
    expectPageHeaders(response);
  });
});

// where a sign-in leads is one of our own places, whatever the request says (S042)
describe('a sign-in that no application asked for', () => {
  const PARAMETERS = ['destination', 'returnTo', 'return_to', 'redirect', 'next', 'url'];
  const TARGETS = [
    '//evil.test',
    '/\\evil.test',
    '/%09/evil.test',
    'https:evil.test',
    'https://evil.test',
    'toString',
    '__proto__',
  ];

  async function signIn(query: Record<string, string>): Promise<string | undefined> {
    const browser = new TestBrowser(api);
    const begun = await browser.get(`/login?${new URLSearchParams(query).toString()}`);
    expect(begun.statusCode).toBe(302);
    expect(begun.headers.location).toMatch(/^\/login\?flow=[A-Za-z0-9_-]{22}$/);
    const page = await browser.get(begun.headers.location ?? '');
    expect(page.body).not.toContain('evil.test');
    expect(page.headers['content-security-policy']).toContain("form-action 'self';");
    const form = { ...query, ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    const answered = await browser.post(`/login?${new URLSearchParams(query).toString()}`, form);
    expect(answered.statusCode).toBe(303);
    return answered.headers.location;
  }

  it.each(TARGETS)('does not lead to %s', async (target) => {
    const query = Object.fromEntries(PARAMETERS.map((name) => [name, target]));
    expect(await signIn(query)).toBe('/');
  });

  it('leads home, or to the dashboard by its name', async () => {
    expect(await signIn({})).toBe('/');
    expect(await signIn({ flow: '' })).toBe('/');
    expect(await signIn({ destination: 'queues', returnTo: '//evil.test' })).toBe('/admin/queues');
  });
});

/** A page without what is random in it. */
function neutral(body: string): string {
  return body
    .replaceAll(/nonce="[^"]*"/g, '')
    .replaceAll(/name="(csrf|flow)" value="[^"]*"/g, '')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
    .replaceAll(/flow=[A-Za-z0-9_-]{22}/g, '');
}
