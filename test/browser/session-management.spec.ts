import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';
import { ask as askFrame, watch, WATCHER } from './support/watcher.js';

// A page of an application that has our frame in it and asks it who is signed in (Session Management 1.0 §3), in a real browser.

const stage = useStage({ SESSION_MANAGEMENT: 'on' });

let server: Server;
let origin: string;
let clientId: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(WATCHER);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { result } = await stage().asRoot<{ result: { id: string }[] }>(
    'POST',
    'management/v1/projects/_search',
    {},
  );
  const made = await stage().asRoot<{ clientId: string }>(
    'POST',
    `management/v1/projects/${result[0]?.id}/apps/oidc`,
    {
      name: 'Watcher',
      appType: 'OIDC_APP_TYPE_USER_AGENT',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
      redirectUris: [`${origin}/cb`],
      devMode: true,
      sessionManagement: true,
    },
  );
  clientId = made.clientId;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(visitor: Visitor, message: unknown): Promise<string> {
  const [from, word = ''] = (await askFrame(visitor.page, message)).split(' ');
  expect(from).toBe(stage().issuer);
  return word;
}

it('the frame says unchanged until the user signs out, and changed after that', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit({ hosts: [new URL(origin).host] });
  const { page } = visitor;
  await page.goto(stage().depart({ client_id: clientId, redirect_uri: `${origin}/cb` }).url);
  await visitor.signIn(admin.loginName, admin.password);
  await expect.poll(() => visitor.heading()).toBe('Watching');
  const message = `${clientId} ${new URL(page.url()).searchParams.get('session_state')}`;
  const { check_session_iframe: frame } = (await (
    await fetch(`${stage().issuer}/.well-known/openid-configuration`)
  ).json()) as { check_session_iframe: string };

  await watch(page, origin, frame);
  expect(await ask(visitor, message)).toBe('unchanged');
  expect(await ask(visitor, message.replace(clientId, 'somebody-else'))).toBe('changed');
  expect(await ask(visitor, 'hello')).toBe('error');
  expect(await ask(visitor, { hello: 1 })).toBe('error');
  // the page says words and nothing else: another site's script cannot look into it
  await expect
    .poll(() => page.evaluate<boolean>("document.getElementById('op').contentDocument === null"))
    .toBe(true);

  // in another window, as people do
  const other = await visitor.openWindow();
  await other.goto(`${stage().issuer}/oidc/v1/end_session`);
  await other.locator('#logout-confirm').click();
  await other.getByRole('heading', { name: visitor.texts.signedOut.title }).waitFor();
  await expect.poll(() => ask(visitor, message)).toBe('changed');
});
