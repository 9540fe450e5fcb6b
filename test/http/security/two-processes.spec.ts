import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, POST_LOGOUT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  endSessionUrl,
  hiddenFields,
  redemption,
  refreshRequest,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { ApiProcess, isBuilt } from '../oidc/support/api-process.js';
import { broughtBy, ProcessBrowser, type ProcessAnswer } from '../oidc/support/process-browser.js';

let a: ApiProcess;
let b: ApiProcess;

// Two API processes of the build, each with a memory of its own, on one database: what one has done holds on the other
// when its answer is there.

const { api: stage, world } = useWorld();
const client = given(() => anApplication(world));
beforeAll(async () => {
  if (!isBuilt) return;
  [a, b] = await Promise.all([ApiProcess.spawn(stage.environment), ApiProcess.spawn(stage.environment)]);
  await Promise.all([a.untilReady(), b.untilReady()]);
});
afterAll(async () => {
  if (isBuilt) await Promise.all([a.stop(), b.stop()]);
});

async function token(process: ApiProcess, form: Record<string, string>) {
  const response = await fetch(`${process.url}/oauth/v2/token`, {
    method: 'POST',
    headers: basic(client),
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as TokenAnswer };
}

async function redeem(process: ApiProcess, answered: ProcessAnswer): Promise<TokenAnswer> {
  const { status, body } = await token(process, redemption(broughtBy(answered).get('code') ?? ''));
  expect(status).toBe(200);
  return body;
}

async function userinfoStatus(process: ApiProcess, accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${process.url}/oidc/v1/userinfo`, { headers })).status;
}

async function silently(browser: ProcessBrowser, process: ApiProcess): Promise<URLSearchParams> {
  return broughtBy(await browser.get(process, authorizeUrl(codeRequest(client, { prompt: 'none' }))));
}

/** Buttons of the account list on a process: session id by login name. */
async function accountsOn(process: ApiProcess, browser: ProcessBrowser, users: readonly TestUser[]) {
  const asked = await browser.get(
    process,
    authorizeUrl(codeRequest(client, { prompt: 'select_account', scope: 'openid' })),
  );
  const page = await browser.get(process, asked.headers.get('location') ?? '');
  const buttons = [
    ...page.body.matchAll(/<button class="account"[^>]*value="([^"]+)">([\s\S]*?)<\/button>/g),
  ];
  const ids = users.map(
    ({ loginName }) => buttons.find(([, , content = '']) => content.includes(loginName))?.[1],
  );
  return { fields: hiddenFields(page.body), ids };
}

describe.skipIf(!isBuilt)('two processes', () => {
  it('are two', () => {
    expect(a.pid).toBeGreaterThan(0);
    expect(b.pid).toBeGreaterThan(0);
    expect(a.pid).not.toBe(b.pid);
  });

  it('a sign-in begun on one is finished on the other, and is over on both then (S038, S039)', async () => {
    const user = await aUser(world);
    const browser = new ProcessBrowser();
    const fields = await browser.open(a, codeRequest(client));
    const before = browser.cookieHeader;
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    const answered = await browser.post(b, '/login', form);
    expect(answered.status).toBe(303);
    expect(browser.cookieHeader).not.toBe(before);
    const tokens = await redeem(a, answered);
    expect(await userinfoStatus(b, tokens.access_token)).toBe(200);
    for (const process of [a, b]) {
      expect((await silently(browser, process)).has('code')).toBe(true);
      expect((await browser.post(process, '/login', form)).status).toBe(400);
      // the cookie from before the sign-in is dead everywhere
      const thief = await fetch(`${process.url}${authorizeUrl(codeRequest(client, { prompt: 'none' }))}`, {
        headers: { cookie: before },
        redirect: 'manual',
      });
      expect(new URL(thief.headers.get('location') ?? '').searchParams.get('error')).toBe('login_required');
    }
  });

  it('a form that is sent to both at once is answered once, with one session', async () => {
    const user = await aUser(world);
    const browser = new ProcessBrowser();
    const fields = await browser.open(a, codeRequest(client));
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    const answers = await Promise.all([a, b, a, b].map((process) => browser.post(process, '/login', form)));
    expect(answers.filter((answer) => broughtBy(answer).has('code'))).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    const { rows } = await stage.sql.query(`SELECT 1 FROM sessions WHERE user_id = $1`, [user.userId]);
    expect(rows).toHaveLength(1);
  });

  it('a logout on one is dead on the other at once: tokens, code and session (S131)', async () => {
    const user = await aUser(world);
    const browser = new ProcessBrowser();
    const request = codeRequest(client, { scope: 'openid profile' });
    const tokens = await redeem(b, await browser.signIn(a, request, user));
    expect(tokens.refresh_token).toBeUndefined();
    const unredeemed = broughtBy(await browser.get(b, authorizeUrl(request))).get('code') ?? '';
    const cookie = browser.cookieHeader;
    for (const process of [a, b]) expect(await userinfoStatus(process, tokens.access_token)).toBe(200);

    const parameters = { id_token_hint: tokens.id_token, post_logout_redirect_uri: POST_LOGOUT_URI };
    const path = endSessionUrl(parameters);
    const left = await browser.get(a, path);
    expect(left.headers.get('location')).toBe(POST_LOGOUT_URI);

    expect(await userinfoStatus(b, tokens.access_token)).toBe(401);
    expect((await token(b, redemption(unredeemed))).body.error).toBe('invalid_grant');
    expect((await silently(browser, b)).get('error')).toBe('login_required');
    const thief = await fetch(`${b.url}/`, { headers: { cookie } });
    expect(await thief.text()).not.toContain(user.loginName);
  });

  it('what offline_access gave lives on after it, without the session (S131)', async () => {
    const user = await aUser(world);
    const browser = new ProcessBrowser();
    const tokens = await redeem(a, await browser.signIn(a, codeRequest(client), user));
    await browser.get(a, `/oidc/v1/end_session?id_token_hint=${tokens.id_token}`);
    expect(await userinfoStatus(b, tokens.access_token)).toBe(401);
    const renewed = await token(b, refreshRequest(tokens.refresh_token));
    expect(renewed.status).toBe(200);
    expect(decodeJwt(renewed.body.id_token)).not.toHaveProperty('sid');
    expect(await userinfoStatus(a, renewed.body.access_token)).toBe(200);
  });

  it('a code that is redeemed on both at once gives one success, which its replays end', async () => {
    const user = await aUser(world);
    const answered = await new ProcessBrowser().signIn(a, codeRequest(client), user);
    const form = redemption(broughtBy(answered).get('code') ?? '');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => token(n % 2 ? a : b, form)));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19);
    for (const process of [a, b]) {
      expect(await userinfoStatus(process, successes[0]?.body.access_token ?? '')).toBe(401);
    }
  });

  it('wrong passwords on both are counted together: five close the step on both (S045)', async () => {
    const user = await aUser(world);
    const other = await aUser(world);
    const tryOn = async (process: ApiProcess, { loginName }: TestUser, password: string) => {
      const browser = new ProcessBrowser();
      const fields = await browser.open(process, codeRequest(client));
      return await browser.post(process, '/login', { ...fields, loginName, password });
    };
    for (const [n, process] of [a, b, a, b].entries()) {
      expect((await tryOn(process, user, `Marker-wrong-${n}`)).status).toBe(400);
      expect((await tryOn(process, other, `Marker-wrong-${n}`)).status).toBe(400);
    }
    expect((await tryOn(a, other, PASSWORD)).status).toBe(303);
    expect((await tryOn(a, user, 'Marker-wrong-5')).status).toBe(400);
    for (const process of [a, b]) expect((await tryOn(process, user, PASSWORD)).status).toBe(400);
  });

  it('an account list of one is answered on the other, and an account removed there is gone here (S033)', async () => {
    const [ada, eve] = [await aUser(world), await aUser(world)];
    const browser = new ProcessBrowser();
    const request = codeRequest(client, { prompt: 'login', scope: 'openid' });
    const tokens = await redeem(b, await browser.signIn(a, request, ada));
    await browser.signIn(b, request, eve);

    const first = await accountsOn(a, browser, [ada, eve]);
    const chosen = await browser.post(b, '/login/accounts', { ...first.fields, account: first.ids[0] ?? '' });
    expect(decodeJwt((await redeem(a, chosen)).id_token).sub).toBe(ada.userId);

    const second = await accountsOn(b, browser, [ada, eve]);
    await browser.post(a, '/login/accounts', { ...second.fields, remove: second.ids[0] ?? '' });
    expect(await userinfoStatus(b, tokens.access_token)).toBe(401);
    expect((await accountsOn(b, browser, [ada, eve])).ids).toEqual([undefined, second.ids[1]]);
    // its id is no way back in
    const late = await browser.post(b, '/login/accounts', { ...second.fields, account: second.ids[0] ?? '' });
    expect(late.headers.get('location')).toMatch(/^\/login\?flow=/);
  });
});
