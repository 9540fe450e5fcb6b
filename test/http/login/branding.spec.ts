import { beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import { aReplica, useApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { authorizeUrl, codeRequest, TestBrowser, unescapeHtml } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { jpeg, png, webp } from '../../support/pictures.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';
import { expectPageHeaders } from '../oidc/support/answers.js';

/** The default organization, and another one. */

interface Branded {
  readonly world: World;
  readonly owner: ServiceUser;
  readonly client: TestClient;
}

async function organization(): Promise<Branded> {
  const world = await anOrganization(api);
  return { world, owner: await aServiceUser(world, 'ORG_OWNER'), client: await anApplication(world) };
}

const api = useApi();
const home = given(() => organization());
const acme = given(() => organization());
beforeAll(async () => {
  await brand(home, { displayName: 'Home & Co', accentColor: '#006600' });
  await brand(acme, BRANDING);
});

const LOGO = png();
const BRANDING = {
  displayName: 'Acme "Pages"',
  accentColor: '#FF8800',
  logo: LOGO.toString('base64'),
  helpUrl: 'https://acme.test/help?a=1&b=2',
  privacyUrl: 'https://acme.test/privacy',
};

async function brand({ owner }: Branded, body: object): Promise<void> {
  const response = await call(api, 'PUT', 'policies/branding', { pat: owner.pat, body });
  expect(response.statusCode, response.body).toBe(200);
}

async function logoPathOf({ owner }: Branded): Promise<string> {
  const { logoUrl } = (await call(api, 'GET', 'policies/branding', { pat: owner.pat })).json<{
    logoUrl: string;
  }>();
  return new URL(logoUrl).pathname;
}

async function signInPage({ client }: Branded) {
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  return await browser.get(begun.headers.location ?? '');
}

const brandOf = (body: string): string => /<p class="brand">([^]*?)<\/p>/.exec(body)?.[1] ?? '';
const textOf = (markup: string): string => unescapeHtml(markup.replaceAll(/<[^>]*>/g, '')).trim();

function expectAcme(body: string, logoPath: string): void {
  expect(brandOf(body)).toBe(`<img src="${logoPath}" alt="Acme &quot;Pages&quot;" height="40" />`);
  expect(body).toContain('--accent:#ff8800;');
  expect(body).toContain('<a href="https://acme.test/help?a=1&amp;b=2">');
  expect(body).toContain('<a href="https://acme.test/privacy">');
}

describe('the pages of an application', () => {
  it('look as its organization wants, within the same policy', async () => {
    const page = await signInPage(acme);
    expectPageHeaders(page);
    expectAcme(page.body, await logoPathOf(acme));
    expect(page.body).toMatch(/<title>Sign in – Acme &quot;Pages&quot;<\/title>/);
    expect(page.headers['content-security-policy']).toContain("img-src 'self';");
  });

  it('keep the look after a mistake, when signing out and when signed out', async () => {
    const logoPath = await logoPathOf(acme);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(acme.client));
    const refused = await browser.post('/login', { ...fields, loginName: 'nobody', password: 'wrong' });
    expect(refused.statusCode).toBe(400);
    expectAcme(refused.body, logoPath);
    const user = await aUser(acme.world);
    await browser.signIn(codeRequest(acme.client), user);
    const confirm = await browser.get(`/oidc/v1/end_session?client_id=${acme.client.clientId}`);
    expect(confirm.body).toContain('id="logout-confirm"');
    expectAcme(confirm.body, logoPath);
    const signedOut = await new TestBrowser(api).get(
      `/oidc/v1/end_session?client_id=${acme.client.clientId}`,
    );
    expect(signedOut.body).toContain('signed out');
    expectAcme(signedOut.body, logoPath);
  });

  it('say nothing of another organization', async () => {
    const { body } = await signInPage(home);
    expect(textOf(brandOf(body))).toContain('Home & Co');
    expect(body).toContain('--accent:#006600;');
    expect(body).not.toMatch(/Acme|acme\.test|\/logos\//);
  });

  it('fall back to the organization’s name and our colours', async () => {
    const plain = await organization();
    const { body } = await signInPage(plain);
    expect(textOf(brandOf(body))).toContain(`Org ${plain.world.domain}`);
    expect(body).not.toContain('--accent:');
    expect(body).not.toContain('<img');
  });

  it('change with the policy at once, on every replica', async () => {
    const org = await organization();
    const replica = await aReplica(api);
    await signInPage(org);
    await brand(org, { displayName: 'Changed' });
    const browser = new TestBrowser(replica);
    const begun = await browser.get(authorizeUrl(codeRequest(org.client)));
    const page = await browser.get(begun.headers.location ?? '');
    expect(textOf(brandOf(page.body))).toContain('Changed');
  });

  it('show a name as text, whatever it holds', async () => {
    const org = await organization();
    await brand(org, { displayName: '"><script>alert(1)</script></title>' });
    // from before such characters were refused
    await api.sql.query(
      `UPDATE branding_policies SET display_name = replace(display_name, '</title>', U&'\\202E</title>') WHERE org_id = $1`,
      [org.world.orgId],
    );
    const { body } = await signInPage(org);
    expect(body).not.toContain('<script>alert');
    expect(body).not.toContain('\u202e');
    expect(textOf(brandOf(body))).toContain('"><script>alert(1)</script></title>');
  });
});

it('the pages behind the links of mails look the same', async () => {
  const body = record({ hashedPassword: undefined });
  const { userId } = (await importHuman(api, acme.owner.pat, body)).json<{ userId: string }>();
  const { rows } = await api.sql.query<{ id: string }>(
    'SELECT id FROM verification_codes WHERE user_id = $1',
    [userId],
  );
  const page = await new TestBrowser(api).get(`/password/init?id=${rows[0]?.id}`);
  expect(page.statusCode).toBe(200);
  expectAcme(page.body, await logoPathOf(acme));
});

describe('pages that no application asked for', () => {
  it.each(['/', '/login', '/oidc/v1/end_session'])(
    '%s has the look of the default organization',
    async (url) => {
      const browser = new TestBrowser(api);
      const first = await browser.get(url);
      const page = first.headers.location === undefined ? first : await browser.get(first.headers.location);
      expect(page.statusCode).toBe(200);
      expect(textOf(brandOf(page.body))).toContain('Home & Co');
      expect(page.body).toContain('--accent:#006600;');
    },
  );

  it.each(['/nowhere', '/oauth/v2/authorize?client_id=1', '/login?flow=x'])(
    '%s is an error, which the service tells in its own name',
    async (url) => {
      const page = await new TestBrowser(api).get(url);
      expect(page.statusCode).toBeGreaterThanOrEqual(400);
      expect(textOf(brandOf(page.body))).toContain('Identity Service');
      expect(page.body).not.toContain('--accent:');
    },
  );
});

describe('logos', () => {
  it('are sent as pictures that run nothing and never change', async () => {
    const response = await api.app.inject({ url: await logoPathOf(acme) });
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.equals(LOGO)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(LOGO.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  it('stay pictures when something else is hidden in them', async () => {
    const org = await organization();
    const evil = png('<script>alert(document.domain)</script>');
    await brand(org, { logo: evil.toString('base64') });
    const response = await api.app.inject({
      url: await logoPathOf(org),
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document' },
    });
    expect(response.headers['content-type']).toBe('image/png');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    expect(response.headers['content-security-policy']).toContain('sandbox');
  });

  it('have another address when they are another picture, and none when there is none', async () => {
    const org = await organization();
    const found = async (path: string) => (await api.app.inject({ url: path })).statusCode;
    await brand(org, { logo: jpeg.toString('base64') });
    const first = await logoPathOf(org);
    expect(first).toMatch(/^\/logos\/[0-9a-f]{64}\.jpg$/);
    await brand(org, { logo: webp.toString('base64') });
    const second = await logoPathOf(org);
    expect(second).toMatch(/^\/logos\/[0-9a-f]{64}\.webp$/);
    expect([await found(first), await found(second)]).toEqual([404, 200]);
    await brand(org, {});
    expect(await found(second)).toBe(404);
  });

  it('may be the same for two organizations, and go with the last', async () => {
    const [one, other] = [await organization(), await organization()];
    const logo = png(randomToken(8)).toString('base64');
    await brand(one, { logo });
    await brand(other, { logo });
    const path = await logoPathOf(one);
    expect(await logoPathOf(other)).toBe(path);
    await brand(one, {});
    expect((await api.app.inject({ url: path })).statusCode).toBe(200);
  });

  it.each([
    `/logos/${'0'.repeat(64)}.png`,
    '/logos/x',
    '/logos/..%2f..%2fetc%2fpasswd',
    "/logos/'%20OR%201=1--.png",
    '/logos/%00.png',
    `/logos/${'a'.repeat(500)}`,
    '/logos',
  ])('%s is not there', async (url) => {
    expect((await api.app.inject({ url })).statusCode).toBe(404);
  });

  it('are not there under another ending', async () => {
    const path = (await logoPathOf(acme)).replace('.png', '.webp');
    expect((await api.app.inject({ url: path })).statusCode).toBe(404);
  });
});
