import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useStage } from './support/stage.js';

// A logout of which another application hears in a frame of our page (Front-Channel Logout §3), in a real browser: the frame is loaded
// before the first application has its person back, and one that never answers keeps nobody.

const stage = useStage({ FRONT_CHANNEL_LOGOUT: 'on' });

/** The other application: it forgets its user when its logout address is loaded, and can be told not to answer. */
class Listener {
  readonly heard: URL[] = [];
  isSilent = false;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Listener> {
    const server = createServer();
    const self = new Listener(server);
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '', self.origin);
      if (url.pathname === '/out') {
        self.heard.push(url);
        if (self.isSilent) return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(
        '<!doctype html><title>Other</title><link rel="icon" href="data:,"><h1>The other one</h1>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let other: Listener;
let otherClient: string;

beforeAll(async () => {
  other = await Listener.listen();
  const { id: project } = (
    await stage().asRoot<{ result: { id: string }[] }>('POST', 'management/v1/projects/_search', {})
  ).result[0] as { id: string };
  const made = await stage().asRoot<{ clientId: string }>(
    'POST',
    `management/v1/projects/${project}/apps/oidc`,
    {
      name: 'The other one',
      appType: 'OIDC_APP_TYPE_USER_AGENT',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
      redirectUris: [`${other.origin}/cb`],
      devMode: true,
      frontChannelLogoutUri: `${other.origin}/out`,
    },
  );
  otherClient = made.clientId;
});
beforeEach(() => {
  other.heard.length = 0;
  other.isSilent = false;
});
afterAll(async () => await other.close());

/** Signed in to both applications, and at the page that asks whether to sign out. */
async function atTheQuestion(scripts: boolean) {
  const { admin, webApplication } = stage().credentials;
  const visitor = await stage().visit({ scripts, hosts: [new URL(other.origin).host] });
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await visitor.signIn(admin.loginName, admin.password);
  await visitor.isBack();
  await page.goto(stage().depart({ client_id: otherClient, redirect_uri: `${other.origin}/cb` }).url);
  await expect.poll(() => visitor.heading()).toBe('The other one');
  const query = new URLSearchParams({
    client_id: webApplication.clientId,
    post_logout_redirect_uri: webApplication.postLogoutRedirectUri,
    state: 'bye',
  });
  await page.goto(`${stage().issuer}/oidc/v1/end_session?${query.toString()}`);
  return { visitor, page, target: `${webApplication.postLogoutRedirectUri}?state=bye` };
}

it.each([
  ['with scripts', true],
  ['without scripts', false],
])('the other application hears of it before the first has its person back (%s)', async (_, scripts) => {
  const { page, target } = await atTheQuestion(scripts);
  expect(other.heard).toEqual([]);
  await page.locator('#logout-confirm').click();
  await page.waitForURL(target);
  expect(other.heard).toHaveLength(1);
  const { searchParams } = other.heard[0] as URL;
  expect([...searchParams.keys()]).toEqual(['iss', 'sid']);
  expect(searchParams.get('iss')).toBe(stage().issuer);
});

it('one that never answers keeps nobody for long, and a person goes on at once by the button', async () => {
  const first = await atTheQuestion(true);
  other.isSilent = true;
  await first.page.locator('#logout-confirm').click({ noWaitAfter: true });
  await first.page.waitForURL(first.target);
  expect(other.heard).toHaveLength(1);

  const second = await atTheQuestion(false);
  await second.page.locator('#logout-confirm').click({ noWaitAfter: true });
  await second.page.locator('#go-on').click({ noWaitAfter: true });
  await second.page.waitForURL(second.target);
  expect(other.heard).toHaveLength(2);
});
