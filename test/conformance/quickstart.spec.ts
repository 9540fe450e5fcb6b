import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { aProject, useWorld } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { HttpBrowser } from './http-browser.js';
import { Quickstart, type RunningProgram } from './support/quickstart.js';

// Two quick starts whose packages are at hand, followed to the letter. The others are run by the interop ring, which fetches theirs.

let issuer: URL;
const { api, world } = useWorld(async () => {
  issuer = new URL(`http://localhost:${await anyFreePort()}`);
  return { PUBLIC_URL: issuer.origin, SIGNING_ALG: 'ES256' };
});
const user = given(() => aUser(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

let quickstart: Quickstart;
afterEach(() => quickstart.end());

async function follow(
  page: string,
  more: Readonly<Record<string, string>> = {},
  before?: string,
): Promise<Quickstart> {
  return await Quickstart.follow(
    page,
    { ISSUER: issuer.origin, TOKEN: owner.pat, PROJECT: world.projectId, ...more },
    (text) => text.replaceAll('PORT=3000', `PORT=${more['PORT'] ?? ''}`),
    before,
  );
}

describe('docs/quickstart/command-line.md', () => {
  it('signs its user in by a code, again without one, and out', async () => {
    quickstart = await follow('command-line.md');
    const [tool = '', logout = ''] = quickstart.commands;
    const name = 'Signed in as Ada Lovelace.';

    const first = quickstart.start(tool);
    const [, address = '', code = ''] = await eventually(
      'the address and the code',
      20_000,
      () => /^Open (\S+)\nand check that the page shows (\S+)\.$/m.exec(first.output()) ?? undefined,
    );
    expect(new URL(address).searchParams.get('user_code')).toBe(code);
    const page = await new HttpBrowser(issuer.origin).connectDevice(new URL(address), user);
    expect(page).toContain('Your device is connected');
    expect(await first.ended, first.output()).toBe(0);
    expect(first.output()).toContain(name);

    for (let time = 0; time < 2; time += 1) {
      const again = quickstart.start(tool);
      expect(await again.ended, again.output()).toBe(0);
      expect(again.output().trim()).toBe(name);
    }

    const out = quickstart.start(logout);
    expect(await out.ended, out.output()).toBe(0);
    expect(out.output().trim()).toBe('Signed out.');
    const anew = quickstart.start(tool);
    await eventually('to be asked again', 20_000, () => anew.output().startsWith('Open '));
  });
});

describe('docs/quickstart/fapi.md', () => {
  let port: number;
  let cookie: string;

  /** As the proxy before the application does. */
  async function ask(target: string): Promise<Response> {
    const { pathname, search } = new URL(target, 'https://app.example.com');
    const answer = await fetch(`http://localhost:${port}${pathname}${search}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return answer;
  }

  async function start(command = ''): Promise<RunningProgram> {
    cookie = '';
    const app = quickstart.start(command);
    await eventually('the application', 20_000, async () => await ask('/').catch(() => undefined));
    return app;
  }

  /** @returns the address by which the browser came back to the application */
  async function signIn(app: RunningProgram, browser: HttpBrowser): Promise<URL> {
    const away = new URL((await ask('/login')).headers.get('location') ?? '');
    expect([...away.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const back = await browser.openAndSignIn(away, user);
    expect(back.origin).toBe('https://app.example.com');
    const signedIn = await ask(back.href);
    expect(signedIn.headers.get('location'), app.output()).toBe('https://app.example.com/me');
    return back;
  }

  it('signs in with a pushed request, a key and bound tokens, refreshes and signs out', async () => {
    port = await anyFreePort();
    quickstart = await follow('fapi.md', { PORT: String(port) }, '5. Message Signing');
    const app = await start(quickstart.commands[0]);

    await ask('/');
    const before = cookie;
    const browser = new HttpBrowser(issuer.origin);
    const back = await signIn(app, browser);
    expect(back.searchParams.has('code')).toBe(true);
    expect(cookie).not.toBe(before);
    expect(await (await ask('/me')).json()).toMatchObject({ sub: user.userId, name: 'Ada Lovelace' });
    expect(await (await ask('/token')).json()).toMatchObject({ active: true, token_type: 'DPoP' });
    expect(await (await ask('/refresh')).json()).toEqual({ refreshed: true });
    expect(await (await ask('/refresh')).json()).toEqual({ refreshed: true });
    expect(await (await ask('/me')).json()).toMatchObject({ sub: user.userId });
    // the answer does not count twice
    expect((await ask(back.href)).status).toBe(502);

    const out = new URL((await ask('/logout')).headers.get('location') ?? '');
    expect(await browser.open(out)).toEqual({ left: new URL('https://app.example.com/') });
    expect(await (await ask('/')).json()).toEqual({ signedIn: false });
  });

  it('goes over to Message Signing: a signed request, a signed answer', async () => {
    port = await anyFreePort();
    // names of applications are unique in a project
    quickstart = await follow('fapi.md', { PORT: String(port), PROJECT: await aProject(world) });
    const [unsigned, signed] = quickstart.commands;

    const early = await start(unsigned);
    const refused = await ask('/login');
    expect([refused.status, await refused.text()], early.output()).toEqual([502, 'invalid_request']);
    early.child.kill('SIGTERM');
    await early.ended;

    const app = await start(signed);
    const browser = new HttpBrowser(issuer.origin);
    const back = await signIn(app, browser);
    expect([...back.searchParams.keys()]).toEqual(['response']);
    expect(decodeProtectedHeader(back.searchParams.get('response') ?? '').alg).toBe('ES256');
    expect(await (await ask('/me')).json()).toMatchObject({ sub: user.userId, name: 'Ada Lovelace' });
    expect(await (await ask('/token')).json()).toMatchObject({ active: true, token_type: 'DPoP' });
    expect(await (await ask('/refresh')).json()).toEqual({ refreshed: true });

    const out = new URL((await ask('/logout')).headers.get('location') ?? '');
    expect(await browser.open(out)).toEqual({ left: new URL('https://app.example.com/') });
    expect(await (await ask('/')).json()).toEqual({ signedIn: false });
  });
});
