import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { Visitor } from '../browser/support/visitor.js';
import { launchChromium } from '../support/chromium.js';
import { applicationFile } from './support/application-file.js';
import { versionOf } from './support/client-folder.js';
import { fetchOnce } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { Stage } from './support/stage.js';

// What needs a real browser: applications that run in it (no secret, PKCE, tokens renewed while nobody looks), and Next.js.

/** Libraries renew a minute before the end: these ten seconds after they came. */
const LIFETIME = '70s';
const RENEWED_MS = 30_000;

describe('applications in Chromium', () => {
  let stage: Stage;
  let chromium: Browser;

  beforeAll(async () => {
    stage = await Stage.build();
    await stage.manage('policies/tokens', { accessTokenLifetime: LIFETIME }, 'PUT');
    chromium = await launchChromium();
  });
  afterAll(async () => {
    await chromium.close();
    await stage.close();
  });

  it('react-oidc-context: signs in, renews by refresh token, signs out', async () => {
    const cwd = await fetchOnce('react-spa');
    const command =
      'VITE_ISSUER=$ISSUER VITE_CLIENT_ID=$CLIENT_ID exec node node_modules/vite/bin/vite.js --port $PORT --strictPort';
    await visit('react-oidc-context', 'react-spa', ['sh', '-c', command], cwd, async (visitor, origin) => {
      const { page } = visitor;
      const asked: string[] = [];
      page.on('request', (request) => {
        const grant = new URLSearchParams(request.postData() ?? '').get('grant_type');
        if (new URL(request.url()).origin === stage.issuer && grant !== null) asked.push(grant);
      });
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visitor.signIn(stage.user.loginName, stage.password);
      await visitor.arrivesAt('Hello, Ada Lovelace');
      await visitor.sees(`${stage.user.userName}@mail.test`);
      await expect.poll(() => page.url()).toBe(`${origin}/`);

      const before = await storedTokens(page);
      expect(before).toContain('refresh_token');
      await expect.poll(() => storedTokens(page), { timeout: RENEWED_MS }).not.toBe(before);
      expect(asked).toContain('refresh_token');

      await leave(page);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // signed out with the service, too
      await page.getByLabel(visitor.texts.form.password, { exact: true }).waitFor();
      await expect.poll(() => new URL(page.url()).origin).toBe(stage.issuer);
    });
    await record({
      client: 'react-oidc-context',
      version: await versionOf('react-spa', 'react-oidc-context'),
      did: ['sign-in', 'userinfo', 'refresh', 'logout'],
      tweak: 'loadUserInfo',
    });
  });

  it('oidc-client-ts with its defaults: signs in, renews in a hidden frame, signs out', async () => {
    const cwd = await fetchOnce('oidc-client-ts');
    await visit('oidc-client-ts', 'react-spa', [process.execPath, 'app.mjs'], cwd, async (visitor) => {
      const { page } = visitor;
      await visitor.sees('Signed out');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visitor.signIn(stage.user.loginName, stage.password);
      await page
        .getByText(new RegExp(`Signed in: ${stage.user.userId}; renewed [1-9]`))
        .waitFor({ timeout: RENEWED_MS });
      await leave(page);
      await visitor.sees('Signed out');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByLabel(visitor.texts.form.password, { exact: true }).waitFor();
    });
    await record({
      client: 'oidc-client-ts',
      version: await versionOf('oidc-client-ts', 'oidc-client-ts'),
      did: ['sign-in', 'silent renewal', 'logout'],
    });
  });

  it('Next.js with Auth.js: signs in, signs out', async () => {
    const cwd = await fetchOnce('nextjs-authjs');
    const command =
      'AUTH_URL=http://localhost:$PORT AUTH_SECRET=0123456789abcdef0123456789abcdef ' +
      'exec node node_modules/next/dist/bin/next dev --port $PORT';
    await visit('Next.js', 'nextjs-authjs', ['sh', '-c', command], cwd, async (visitor) => {
      const { page } = visitor;
      // the development server compiles each page when it is first asked for
      page.setDefaultTimeout(120_000);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visitor.signIn(stage.user.loginName, stage.password);
      await visitor.arrivesAt('Hello, Ada Lovelace');
      await visitor.sees(`${stage.user.userName}@mail.test`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByLabel(visitor.texts.form.password, { exact: true }).waitFor();
    });
    await record({
      client: 'Auth.js with Next.js 16',
      version: await versionOf('nextjs-authjs', 'next-auth'),
      did: ['sign-in', 'logout'],
      application: applicationFile('nextjs-authjs')(''),
    });
  });

  async function visit(
    name: string,
    application: string,
    argv: readonly [string, ...string[]],
    cwd: string,
    act: (visitor: Visitor, origin: string) => Promise<void>,
  ): Promise<void> {
    const port = await anyFreePort();
    const origin = `http://localhost:${port}`;
    const json = applicationFile(application)(origin);
    const registered = await stage.addApplication({ ...json, name });
    const [redirectUri = ''] = json.redirectUris;
    const app = await ForeignApp.start({ cwd, argv, port, redirectUri, registered });
    try {
      const visitor = await Visitor.arrive(chromium, [new URL(stage.issuer).host, `localhost:${port}`], {});
      try {
        await visitor.page.goto(`${origin}/`);
        await act(visitor, origin);
        expect(visitor.complaints).toEqual([]);
      } catch (error) {
        const text = await visitor.page.locator('body').innerText();
        const heard = visitor.complaints.join('\n');
        throw new Error(`at ${visitor.page.url()}: ${text}\n${heard}\n${app.output}`, { cause: error });
      } finally {
        await visitor.leave();
      }
    } finally {
      await app.stop();
    }
  }
});

/** Signs out, and waits until the application is open again. */
async function leave(page: Page): Promise<void> {
  const back = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await back;
}

/** What oidc-client-ts keeps of the user, tokens and all. */
async function storedTokens(page: Page): Promise<string> {
  return await page.evaluate<string>('JSON.stringify(sessionStorage)');
}
