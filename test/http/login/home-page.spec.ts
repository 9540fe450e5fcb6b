import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { PermissionsStore } from '../../../src/domain/permissions/permissions.store.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { startTestApi } from '../../support/api.js';
import { hiddenFields, TestBrowser } from '../../support/browser-flow.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();

/** A browser in which somebody signed in at our own pages, and where that led. */
async function signedIn(
  role?: Role,
  query = '',
  on = api,
): Promise<{ browser: TestBrowser; at: string | undefined }> {
  const user = await aUser(world);
  if (role !== undefined) {
    await api.app
      .get(UnitOfWork)
      .run((tx) =>
        api.app
          .get(PermissionsStore)
          .add(tx, { userId: user.userId, userOrgId: world.orgId, role, orgId: null }),
      );
  }
  const browser = new TestBrowser(on);
  const begun = await browser.get(`/login${query}`);
  const page = await browser.get(begun.headers.location ?? '');
  const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
  return { browser, at: (await browser.post('/login', form)).headers.location };
}

const LINKS = ['/openapi', '/.well-known/openid-configuration', '/oauth/v2/keys', '/admin/queues'];

describe('the home page', () => {
  it('has no links for developers for people, signed in or not', async () => {
    const { browser } = await signedIn();
    for (const page of [await new TestBrowser(api).get('/'), await browser.get('/')]) {
      expect(page.statusCode).toBe(200);
      for (const link of LINKS) expect(page.body).not.toContain(link);
    }
  });

  it('has them for an administrator, each of them good', async () => {
    const { browser } = await signedIn('IAM_OWNER');
    const { body } = await browser.get('/');
    for (const link of LINKS) {
      expect(body).toContain(`${link}"`);
      expect((await browser.get(link)).statusCode).toBe(200);
    }
  });
});

describe('while nothing can send mails', () => {
  const NOTICE = 'E-mails are not being sent';

  it('tells administrators on the home page, and nobody else', async () => {
    const people = await signedIn();
    const viewer = await signedIn('IAM_OWNER_VIEWER');
    const owner = await signedIn('IAM_OWNER');
    expect((await new TestBrowser(api).get('/')).body).not.toContain(NOTICE);
    expect((await people.browser.get('/')).body).not.toContain(NOTICE);
    expect((await viewer.browser.get('/')).body).toContain(NOTICE);
    expect((await owner.browser.get('/')).body).toContain(NOTICE);
  });

  it('says nothing once there is a mail server', async () => {
    const other = await startTestApi({ SMTP_URL: 'smtp://127.0.0.1:1' }, api);
    const owner = await signedIn('IAM_OWNER', '', other);
    expect((await owner.browser.get('/')).body).not.toContain(NOTICE);
    await other.close();
  });
});

describe('/admin', () => {
  it('leads to the console, and its dashboard has a stranger sign in', async () => {
    const stranger = await new TestBrowser(api).get('/admin');
    expect(stranger).toMatchObject({ statusCode: 302, headers: { location: '/console' } });
    const asked = await new TestBrowser(api).get('/admin/queues');
    expect(asked).toMatchObject({ statusCode: 303, headers: { location: '/login?destination=queues' } });
    const { browser, at } = await signedIn('IAM_OWNER', '?destination=queues');
    expect(at).toBe('/admin/queues');
    expect((await browser.get('/admin/queues')).statusCode).toBe(200);
  });

  it('tells somebody else why not, with a way on', async () => {
    const { browser } = await signedIn();
    const page = await browser.get('/admin/queues');
    expect(page.statusCode).toBe(403);
    expect(page.body).toContain('This page is for administrators');
    expect(page.body).toContain('href="/login?destination=queues"');
  });
});

describe('GET /logout', () => {
  it('asks whoever is signed in, whatever the address carries, and signs nobody out by itself', async () => {
    const { browser } = await signedIn();
    const page = await browser.get('/logout?post_logout_redirect_uri=https://evil.test&id_token_hint=x');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('logout-confirm');
    // the carried request, not the links to other languages, which keep the address
    expect(hiddenFields(page.body)['request']).not.toContain('evil.test');
    expect((await browser.get('/')).body).toContain('You are signed in as');
    const done = await browser.post('/logout', hiddenFields(page.body));
    expect(done.body).toContain('signed out');
    expect((await browser.get('/')).body).not.toContain('You are signed in as');
  });

  it('says so where nobody is signed in', async () => {
    const page = await new TestBrowser(api).get('/logout');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('signed out');
  });
});
