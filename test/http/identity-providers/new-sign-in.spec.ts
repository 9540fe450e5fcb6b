// SQL by hand: nothing takes a password away that a test could call
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  redemption,
  redirected,
  requestToken,
  unescapeHtml,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { aTotpSecret, trustBrowsersOf } from '../../support/factors.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider, aServedProvider, chooseProvider } from '../../support/identity-providers.js';
import { newestCode } from '../../support/mail-code.js';
import { PlainOAuthProvider } from '../../support/plain-oauth-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { VendorProvider } from '../../support/vendor-provider.js';
import { useWorld } from '../../support/world.js';

// Whoever sits at an unlocked browser passes by a provider for a request that asks for nothing, and then sends one that does.

const plain = givenRunning(() => PlainOAuthProvider.start());
const vendor = givenRunning(() => VendorProvider.start());
const foreign = useForeignProvider();

const { api, world } = useWorld({
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  RATE_LIMIT_MAIL: '1000',
  SMTP_URL: 'smtp://127.0.0.1:1',
});
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const instanceOwner = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anApplication(world));
const ownClient = given(() => anOwnApplication(world));

const DIRECTORY = '11111111-1111-4111-8111-111111111111';
let idp: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
});

async function aProvider(settings: object): Promise<void> {
  ({ id: idp } = await anIdentityProvider(owner, settings));
}

let people = 0;
/** Somebody who has nothing here but who they are there. */
async function aUserThere(): Promise<TestUser> {
  const user = await aUser(world, {
    email: { address: `anew-${(people += 1)}@mail.test`, verified: true },
    proven: true,
  });
  await owner.call('POST', `users/${user.userId}/idps`, { idpId: idp, externalUserId: user.userId });
  await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
  return user;
}

const ask = async (browser: AccountBrowser, changes: Record<string, string> = {}) =>
  await browser.get(authorizeUrl(codeRequest(client, changes)));

const isAnswered = (answered: LightMyRequestResponse): boolean => redirected(answered).has('code');

/** There and back in the flow that a request has begun. */
async function passBy(
  browser: AccountBrowser,
  begun: LightMyRequestResponse,
): Promise<LightMyRequestResponse> {
  const away = await chooseProvider(browser, begun, idp);
  const url = away.startsWith(plain.origin)
    ? new URL((await fetch(away, { redirect: 'manual' })).headers.get('location') ?? '')
    : (await vendor.visit(away)).url;
  return await browser.get(url);
}

/** @returns where it led */
async function confirmByMail(
  browser: AccountBrowser,
  { userId }: TestUser,
  page = '/account/confirm',
): Promise<string | undefined> {
  const send = hiddenFields((await browser.get(page)).body);
  const sent = await browser.post('/account/confirm/code/send', send);
  const typing = hiddenFields((await browser.get(sent.headers.location ?? '')).body);
  const code = await newestCode(api, userId);
  const done = await browser.post('/account/confirm/code', { ...typing, code });
  expect(done.statusCode).toBe(303);
  return done.headers.location;
}

/** The one account in the list of a flow. */
async function choose(browser: AccountBrowser, begun: LightMyRequestResponse) {
  const list = await browser.get(`/login/accounts?flow=${redirected(begun).get('flow') ?? ''}`);
  const account = /name="account"[^>]*value="([^"]+)"/.exec(list.body)?.[1] ?? '';
  return await browser.post('/login/accounts', { ...hiddenFields(list.body), account });
}

describe('a sign-in by a provider that answers by a session of its own', () => {
  beforeEach(async () => {
    await aProvider({ ...plain.settings, name: 'Plain' });
    plain.emails = [];
  });

  async function signedIn(): Promise<{ user: TestUser; browser: AccountBrowser }> {
    const user = await aUserThere();
    plain.user = { id: user.userId, login: 'octo' };
    const browser = new AccountBrowser(api);
    expect(isAnswered(await passBy(browser, await ask(browser)))).toBe(true);
    return { user, browser };
  }

  it('is none for the max_age of another request (S358)', async () => {
    const { browser } = await signedIn();
    expect(isAnswered(await ask(browser))).toBe(true);
    expect((await ask(browser, { max_age: '3600' })).headers.location).toMatch(/^\/login\?flow=/);
    const silent = redirected(await ask(browser, { max_age: '3600', prompt: 'none' }));
    expect(silent.get('error')).toBe('login_required');
  });

  it.each([{ prompt: 'login' }, { max_age: '0' }])(
    'is none for a request that waits in another tab: %o (S358)',
    async (wish) => {
      const { browser } = await signedIn();
      const waiting = await ask(browser, wish);
      // anew, and nobody was asked anything
      const begun = await browser.get('/login?destination=account');
      expect((await passBy(browser, begun)).headers.location).toBe('/account');
      expect((await choose(browser, waiting)).headers.location).toMatch(/^\/login\?flow=/);
    },
  );

  it.each([{ prompt: 'login' }, { max_age: '3600' }])(
    'leads from the page for it to a mailed code and back: %o',
    async (wish) => {
      const { user, browser } = await signedIn();
      const begun = await ask(browser, wish);
      const page = await browser.get(begun.headers.location ?? '');
      const way = unescapeHtml(/href="(\/account\/confirm\?[^"]*)"/.exec(page.body)?.[1] ?? '');
      expect(way).not.toBe('');
      const flow = redirected(begun).get('flow') ?? '';
      expect(await confirmByMail(browser, user, way)).toBe(`/login/accounts?flow=${flow}`);
      const answered = await choose(browser, begun);
      expect(isAnswered(answered)).toBe(true);
      // nobody else is told of it
      const stranger = new AccountBrowser(api);
      const other = await ask(stranger, wish);
      expect((await stranger.get(other.headers.location ?? '')).body).not.toContain('/account/confirm?');
    },
  );

  it.each([
    '/login/accounts?flow=x',
    '/login/accounts?flow=AAAAAAAAAAAAAAAAAAAAAA&next=/x',
    '//evil.test',
    '/login',
  ])('leads from a mailed code to no other page: %s', async (next) => {
    const { user, browser } = await signedIn();
    const page = `/account/confirm?${new URLSearchParams({ next }).toString()}`;
    expect(await confirmByMail(browser, user, page)).toBe('/account');
  });

  it('is one with a code that was mailed since, for as long as the application says', async () => {
    const { user, browser } = await signedIn();
    await confirmByMail(browser, user);
    expect(isAnswered(await ask(browser, { max_age: '3600' }))).toBe(true);
    await api.advance(3000);
    expect(isAnswered(await ask(browser, { max_age: '3600', prompt: 'none' }))).toBe(true);
    await api.advance(601);
    expect(isAnswered(await ask(browser, { max_age: '3600' }))).toBe(false);
  });
});

describe('a sign-in by a provider that need not say when it was', () => {
  let goOut: () => void;
  beforeEach(() => {
    goOut = vendor.standIn();
  });
  afterEach(async () => {
    goOut();
    await instanceOwner.call('DELETE', 'policies/factors');
  });

  async function aMicrosoftUser(): Promise<{ user: TestUser; browser: AccountBrowser }> {
    await aProvider({
      kind: 'microsoft',
      name: 'Entra',
      clientId: vendor.clientId,
      clientSecret: vendor.clientSecret,
      tenant: DIRECTORY,
    });
    const user = await aUserThere();
    vendor.claims = {
      iss: `https://login.microsoftonline.com/${DIRECTORY}/v2.0`,
      tid: DIRECTORY,
      sub: user.userId,
    };
    return { user, browser: new AccountBrowser(api) };
  }

  it('is none for the max_age of another request, unless it was asked to have them sign in (S359)', async () => {
    const { browser } = await aMicrosoftUser();
    expect(isAnswered(await passBy(browser, await ask(browser)))).toBe(true);
    const wish = { max_age: '3600' };
    const asked = await ask(browser, wish);
    expect(asked.headers.location).toMatch(/^\/login\?flow=/);
    expect((await choose(browser, asked)).headers.location).toMatch(/^\/login\?flow=/);
    expect(isAnswered(await passBy(browser, asked))).toBe(true);
    // it is not asked again and again
    expect(isAnswered(await ask(browser, { ...wish, prompt: 'none' }))).toBe(true);
    // nor does that open the account
    expect((await browser.get('/account/security')).headers.location ?? '').toBe('');
    expect((await browser.get('/account/security/identities')).headers.location).toContain(
      '/account/confirm',
    );
    await api.advance(3601);
    expect(isAnswered(await ask(browser, wish))).toBe(false);
  });

  it('makes no token fresh, but with what its user shows here beside it (S359)', async () => {
    const { browser, user } = await aMicrosoftUser();
    const scope = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
    const wish = { max_age: '600', scope };
    const tokenOf = async (answered: LightMyRequestResponse): Promise<string> => {
      const form = redemption(redirected(answered).get('code') ?? '');
      return (await requestToken(api, form, basic(ownClient))).json<TokenAnswer>().access_token;
    };
    const request = (changes: object = {}) => authorizeUrl(codeRequest(ownClient, { ...wish, ...changes }));
    const begin = async (pat: string) =>
      (await call(api, 'POST', '/auth/v1/users/me/factors/totp/_begin', { pat, body: {} })).statusCode;
    // round and round
    const first = await tokenOf(await passBy(browser, await browser.get(request())));
    expect(await begin(first)).toBe(401);
    expect(await begin(await tokenOf(await browser.get(request())))).toBe(401);
    // the ways out: a code by mail
    await confirmByMail(browser, user);
    expect(await begin(await tokenOf(await browser.get(request())))).toBe(200);
    // or a factor, in a browser that is trusted as well
    await api.advance(601);
    expect(
      (await instanceOwner.call('PUT', 'policies/factors', { trustedBrowserDays: '30' })).statusCode,
    ).toBe(200);
    const app = await aTotpSecret(api, user.userId);
    await trustBrowsersOf(api, user.userId);
    const acr = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
    const due = await passBy(browser, await browser.get(request({ acr_values: acr })));
    expect(due.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
    const fields = hiddenFields((await browser.get(due.headers.location ?? '')).body);
    const shown = await browser.post('/login/second-factor', { ...fields, code: app.code(api) });
    expect(await begin(await tokenOf(shown))).toBe(200);
  });
});

describe('a sign-in by a provider that says when it was', () => {
  /** There and back, with what the browser's user leaves out of the request on its way. */
  async function passWithout(names: readonly string[], wish: Record<string, string>) {
    ({ id: idp } = await aServedProvider(owner, foreign));
    const browser = new AccountBrowser(api);
    foreign.subject = (await aUserThere()).userId;
    const away = new URL(await chooseProvider(browser, await ask(browser, wish), idp));
    for (const name of names) away.searchParams.delete(name);
    const back = await foreign.visit(away.href);
    return await browser.get(back);
  }

  it.each([{ prompt: 'login' }, { max_age: '3600' }])('is one, as it says when: %o', async (wish) => {
    expect(isAnswered(await passWithout([], wish))).toBe(true);
  });

  it.each([{ prompt: 'login' }, { max_age: '3600' }])(
    'is none where whoever sits at the browser takes the wish out of the request: %o (S359)',
    async (wish) => {
      const refused = await passWithout(['prompt', 'max_age'], wish);
      expect(redirected(refused).get('idp')).toBe('idp-refused');
    },
  );
});
