import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { selfSignedCertificate } from '../conformance/support/certificate.js';
import { HttpsFront } from '../conformance/support/https-front.js';
import { anApplication } from '../support/applications.js';
import { codeRequest } from '../support/browser-flow.js';
import { launchChromium } from '../support/chromium.js';
import { given } from '../support/given.js';
import { aUser, PASSWORD } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { ask, watch, WATCHER } from './support/watcher.js';

// Session management where it is needed: by https, with the application on another site than the service, so that no cookie but one
// with SameSite=None reaches the frame.

const ISSUER = 'https://id.lighthouse.test';
const APPLICATION = 'https://app.watcher.test';
const REDIRECT_URI = `${APPLICATION}/cb`;
const FRAME = `${ISSUER}/oidc/v1/check_session`;
const COOKIE = '__Host-identity-state';

const certificate = selfSignedCertificate();
let front: HttpsFront;
let server: Server;

const { api, world } = useWorld({
  PUBLIC_URL: ISSUER,
  TRUSTED_PROXIES: '127.0.0.1',
  SESSION_MANAGEMENT: 'on',
});
const user = given(() => aUser(world));
const client = given(() => anApplication(world, { redirectUris: [REDIRECT_URI], sessionManagement: true }));

beforeAll(async () => {
  front = await HttpsFront.listen(certificate);
  server = createServer(certificate, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(WATCHER);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await api.app.listen(0, '127.0.0.1');
  front.leadTo(Number(new URL(await api.app.getUrl()).port));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await front.close();
});

/** A browser that finds both sites on this machine, and takes the certificate that they made for themselves. */
async function launch(): Promise<Browser> {
  const sites = [
    [ISSUER, new URL(front.origin).port],
    [APPLICATION, (server.address() as AddressInfo).port],
  ] as const;
  const rules = sites.map(([site, port]) => `MAP ${new URL(site).host} 127.0.0.1:${port}`);
  return await launchChromium([`--host-resolver-rules=${rules.join(', ')}`, '--ignore-certificate-errors']);
}

/** Signed in, at the application's page with the frame in it. @returns what the application asks the frame */
async function signInAndWatch(page: Page): Promise<string> {
  const request = codeRequest(client, { redirect_uri: REDIRECT_URI });
  await page.goto(`${ISSUER}/oauth/v2/authorize?${new URLSearchParams(request).toString()}`);
  await page.locator('input[name=loginName]').fill(user.loginName);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${REDIRECT_URI}?**`);
  const message = `${client.clientId} ${new URL(page.url()).searchParams.get('session_state')}`;
  await watch(page, APPLICATION, FRAME);
  return message;
}

let browser: Browser;
let context: BrowserContext;
let page: Page;
beforeEach(async () => {
  browser = await launch();
  context = await browser.newContext({ locale: 'en-GB' });
  page = await context.newPage();
});
afterEach(() => browser.close());

it('the frame in a page of another site says unchanged until the user signs out, and changed after that', async () => {
  const message = await signInAndWatch(page);

  expect(await ask(page, message)).toBe(`${ISSUER} unchanged`);
  expect(await ask(page, message.replace(client.clientId, 'somebody-else'))).toBe(`${ISSUER} changed`);
  const kept = (await context.cookies(ISSUER)).find(({ name }) => name === COOKIE);
  expect(kept).toMatchObject({ sameSite: 'None', secure: true, httpOnly: false, path: '/' });

  const other = await context.newPage();
  await other.goto(`${ISSUER}/oidc/v1/end_session`);
  await other.locator('#logout-confirm').click();
  await other.getByRole('heading', { name: 'signed out' }).waitFor();
  await expect.poll(() => ask(page, message)).toBe(`${ISSUER} changed`);
});

it('the frame says error where the browser keeps cookies of other sites from frames', async () => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCookieControls', { enableThirdPartyCookieRestriction: true });
  const message = await signInAndWatch(page);
  expect(await ask(page, message)).toBe(`${ISSUER} error`);
});
