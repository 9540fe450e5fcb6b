import { expect } from 'vitest';
import type { TestUser } from '../../support/users.js';
import { eventually } from '../../workers/support/eventually.js';
import type { HttpBrowser } from '../http-browser.js';
import type { RunningProgram } from './running-program.js';

/**
 * A web application of a quick start, once it answers, with the one browser that it knows.
 * @param home where browsers see it
 */
export async function startWebApp(program: RunningProgram, port: number, home: string) {
  let cookie = '';

  /** As the proxy before the application does, where there is one. */
  async function ask(target: string): Promise<Response> {
    const { pathname, search } = new URL(target, home);
    const answer = await fetch(`http://localhost:${port}${pathname}${search}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return answer;
  }

  async function json(target: string): Promise<unknown> {
    const answer = await ask(target);
    expect(answer.status, program.output()).toBe(200);
    return await answer.json();
  }

  /** @returns the address by which the browser came back to the application */
  async function signIn(browser: HttpBrowser, as: TestUser): Promise<URL> {
    const away = await ask('/login');
    expect(away.status, program.output()).toBe(303);
    const to = new URL(away.headers.get('location') ?? '');
    expect([...to.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const back = await browser.openAndSignIn(to, as);
    expect(back.origin).toBe(home);
    const signedIn = await ask(back.href);
    expect(signedIn.headers.get('location'), program.output()).toBe(`${home}/me`);
    return back;
  }

  async function signOut(browser: HttpBrowser): Promise<void> {
    const out = new URL((await ask('/logout')).headers.get('location') ?? '');
    expect(await browser.open(out)).toEqual({ left: new URL('/', home) });
    expect(await json('/')).toEqual({ signedIn: false });
  }

  await eventually('the application', 20_000, async () => await ask('/').catch(() => undefined));
  return { program, cookie: () => cookie, ask, json, signIn, signOut };
}
