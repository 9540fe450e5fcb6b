import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { aProject, useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';
import { expectDeviceTool } from './support/device-tool.js';
import { Quickstart } from './support/quickstart.js';
import { endProgram } from './support/running-program.js';
import { startWebApp } from './support/web-app.js';

// Three quick starts whose packages are at hand, followed to the letter. The others are run by the interop ring, which fetches theirs.

let quickstart: Quickstart;
afterEach(() => quickstart.end());

/** The service on a real port, with somebody who signs in and somebody who follows the pages. */
function useService(settings: Readonly<Record<string, string>> = {}) {
  let port: number;
  const origin = () => `http://localhost:${port}`;
  const { api, world } = useWorld(async () => {
    port = await anyFreePort();
    return { PUBLIC_URL: origin(), SIGNING_ALG: 'ES256', ...settings };
  });
  const user = given(() => aUser(world));
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
  beforeAll(() => api.app.listen(port, '127.0.0.1'));

  async function follow(
    page: string,
    more: Readonly<Record<string, string>> = {},
    before?: string,
  ): Promise<Quickstart> {
    const own = more['PORT'] ?? '';
    return await Quickstart.follow(
      page,
      { ISSUER: origin(), TOKEN: owner.pat, PROJECT: world.projectId, ...more },
      (text) => text.replaceAll('PORT=3000', `PORT=${own}`).replaceAll('localhost:3000', `localhost:${own}`),
      before,
    );
  }

  return { origin, world, user, follow };
}

const { origin, world, user, follow } = useService();

describe('docs/quickstart/command-line.md', () => {
  it('signs its user in by a code, again without one, and out', async () => {
    quickstart = await follow('command-line.md');
    const [run = '', logout = ''] = quickstart.commands;
    const tool = { tool: () => quickstart.start(run), logout: () => quickstart.start(logout) };
    await expectDeviceTool(tool, origin(), user);
  });
});

describe('docs/quickstart/fapi.md', () => {
  const home = 'https://app.example.com';

  it('signs in with a pushed request, a key and bound tokens, refreshes and signs out', async () => {
    const port = await anyFreePort();
    quickstart = await follow('fapi.md', { PORT: String(port) }, '5. Message Signing');
    const app = await startWebApp(quickstart.start(quickstart.commands[0] ?? ''), port, home);

    await app.ask('/');
    const before = app.cookie();
    const browser = new HttpBrowser(origin());
    const back = await app.signIn(browser, user);
    expect(back.searchParams.has('code')).toBe(true);
    expect(app.cookie()).not.toBe(before);
    expect(await app.json('/me')).toMatchObject({ sub: user.userId, name: 'Ada Lovelace' });
    expect(await app.json('/token')).toMatchObject({ active: true, token_type: 'DPoP' });
    expect(await app.json('/refresh')).toEqual({ refreshed: true });
    expect(await app.json('/refresh')).toEqual({ refreshed: true });
    expect(await app.json('/me')).toMatchObject({ sub: user.userId });
    // the answer does not count twice
    expect((await app.ask(back.href)).status).toBe(502);
    await app.signOut(browser);
  });

  it('goes over to Message Signing: a signed request, a signed answer', async () => {
    const port = await anyFreePort();
    // names of applications are unique in a project
    quickstart = await follow('fapi.md', { PORT: String(port), PROJECT: await aProject(world) });
    const [unsigned = '', signed = ''] = quickstart.commands;

    const early = await startWebApp(quickstart.start(unsigned), port, home);
    const refused = await early.ask('/login');
    expect([refused.status, await refused.text()], early.program.output()).toEqual([502, 'invalid_request']);
    await endProgram(early.program);

    const app = await startWebApp(quickstart.start(signed), port, home);
    const browser = new HttpBrowser(origin());
    const back = await app.signIn(browser, user);
    expect([...back.searchParams.keys()]).toEqual(['response']);
    expect(decodeProtectedHeader(back.searchParams.get('response') ?? '').alg).toBe('ES256');
    expect(await app.json('/me')).toMatchObject({ sub: user.userId, name: 'Ada Lovelace' });
    expect(await app.json('/token')).toMatchObject({ active: true, token_type: 'DPoP' });
    expect(await app.json('/refresh')).toEqual({ refreshed: true });
    await app.signOut(browser);
  });
});

describe('docs/quickstart/oauth4webapi.md', () => {
  const withNonces = useService({ DPOP_NONCE: 'required' });

  it.each([
    ['by default', { origin, user, follow }],
    ['where proofs need a nonce', withNonces],
  ])('signs in, refreshes and signs out %s', async (_where, service) => {
    const port = await anyFreePort();
    quickstart = await service.follow('oauth4webapi.md', { PORT: String(port) });
    const app = await startWebApp(
      quickstart.start(quickstart.commands[0] ?? ''),
      port,
      `http://localhost:${port}`,
    );

    await app.ask('/');
    const before = app.cookie();
    const browser = new HttpBrowser(service.origin());
    const back = await app.signIn(browser, service.user);
    expect(app.cookie()).not.toBe(before);
    for (let time = 0; time < 2; time += 1) {
      expect(await app.json('/me')).toMatchObject({ sub: service.user.userId, name: 'Ada Lovelace' });
      expect(await app.json('/refresh')).toEqual({ refreshed: true });
    }
    // the answer does not count twice
    expect((await app.ask(back.href)).status).toBe(502);
    await app.signOut(browser);
  });
});
