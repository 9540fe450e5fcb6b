// SQL by hand: nothing takes a password away that a test could call
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { anOwnApplication } from '../../support/applications.js';
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
import { anIdentityProvider, chooseProvider } from '../../support/identity-providers.js';
import { newestCode } from '../../support/mail-code.js';
import { otherCode } from '../../support/mailbox.js';
import { PlainOAuthProvider } from '../../support/plain-oauth-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Whoever sits at an unlocked browser comes back from a provider that cannot be asked anew without touching a key.

const plain = givenRunning(() => PlainOAuthProvider.start());
const foreign = useForeignProvider();

const { api, world } = useWorld({
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  RATE_LIMIT_MAIL: '1000',
  SMTP_URL: 'smtp://127.0.0.1:1',
});
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const instanceOwner = given(() => aServiceUser(world, 'IAM_OWNER'));
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const client = given(() => anOwnApplication(world, { grantTypes: ['authorization_code', EXCHANGE] }));

const SECURITY = '/account/security/identities';
const CONFIRM = '/account/confirm';
const BY_IDENTITY = `${CONFIRM}/identity`;
const BY_MAIL = `${CONFIRM}/code`;

let idp: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  idp = await aProvider({ ...plain.settings, name: 'Plain' });
});

async function aProvider(settings: object): Promise<string> {
  const added = await anIdentityProvider(owner, settings);
  foreign.serve(added.callbackUrl);
  return added.id;
}

let people = 0;
/** Somebody who has nothing here but who they are there. */
async function aPlainUser(): Promise<TestUser> {
  const user = await aUser(world, {
    email: { address: `plain-${(people += 1)}@mail.test`, verified: true },
    proven: true,
  });
  await owner.call('POST', `users/${user.userId}/idps`, { idpId: idp, externalUserId: user.userId });
  await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
  plain.user = { id: user.userId, login: 'octo' };
  plain.emails = [];
  return user;
}

/** There and back: nobody there is asked anything. */
async function passBy(browser: AccountBrowser, begun: LightMyRequestResponse): Promise<string> {
  const there = await fetch(await chooseProvider(browser, begun, idp), { redirect: 'manual' });
  const back = new URL(there.headers.get('location') ?? '');
  return (await browser.get(back)).headers.location ?? '';
}

async function signedIn(): Promise<AccountBrowser> {
  const browser = new AccountBrowser(api);
  const begun = await browser.get('/login?destination=account');
  expect(await passBy(browser, begun)).toBe('/account');
  return browser;
}

function formAt(page: string, action: string): Record<string, string> | undefined {
  const form = new RegExp(`<form[^>]*action="${action}"[\\s\\S]*?</form>`).exec(page)?.[0];
  return form === undefined ? undefined : hiddenFields(form);
}

describe('an identity at a provider that cannot be asked anew', () => {
  it('signs in, and opens nothing that could take the account over: a code by mail does (S496)', async () => {
    const user = await aPlainUser();
    const browser = await signedIn();
    expect((await browser.get('/account')).statusCode).toBe(200);
    const asked = (await browser.get(SECURITY)).headers.location ?? '';
    expect(asked).toBe(`${CONFIRM}?next=${encodeURIComponent(SECURITY)}`);
    const page = await browser.get(asked);
    expect(page.body).not.toContain(BY_IDENTITY);
    expect(page.body).not.toContain('type="password"');

    const send = formAt(page.body, `${BY_MAIL}/send`);
    const sent = await browser.post(`${BY_MAIL}/send`, send ?? {});
    expect(sent.headers.location).toContain('sent=code');
    const typing = formAt((await browser.get(sent.headers.location ?? '')).body, BY_MAIL) ?? {};
    const code = await newestCode(api, user.userId);
    const wrong = await browser.post(BY_MAIL, { ...typing, code: otherCode(code) });
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('We could not make sure that it is you');
    const empty = await browser.post(BY_MAIL, { ...typing, code: '' });
    expect(empty.statusCode).toBe(400);
    expect((await browser.get(SECURITY)).headers.location).toContain(CONFIRM);
    const done = await browser.post(BY_MAIL, { ...typing, code });
    expect(done.headers.location).toBe(SECURITY);
    expect((await browser.get(SECURITY)).statusCode).toBe(200);

    // for ten minutes, and not by coming by once more
    await api.advance(601);
    expect((await browser.get(SECURITY)).headers.location).toContain(CONFIRM);
    const again = await browser.get(`${CONFIRM}/sign-in`);
    expect(await passBy(browser, again)).toBe('/account');
    expect((await browser.get(SECURITY)).headers.location).toContain(CONFIRM);
  });

  it('is no proof where the form of another one is sent for it (S496)', async () => {
    await aPlainUser();
    const browser = await signedIn();
    const page = await browser.get((await browser.get(SECURITY)).headers.location ?? '');
    const fields = formAt(page.body, `${BY_MAIL}/send`) ?? {};
    const sent = await browser.post(BY_IDENTITY, { ...fields, target: idp });
    expect(sent.headers.location).toMatch(/^\/login\?flow=/);
  });

  it('leaves a code by mail to whoever has nothing else', async () => {
    const user = await aPlainUser();
    const browser = await signedIn();
    const page = await browser.get((await browser.get(SECURITY)).headers.location ?? '');
    const send = formAt(page.body, `${BY_MAIL}/send`) ?? {};
    await browser.post(`${BY_MAIL}/send`, send);
    const code = await newestCode(api, user.userId);
    await api.sql.query(
      `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name, passwordless)
       VALUES ($1, $2, convert_to($2, 'UTF8'), 'k', 'h', 'Key', true)`,
      [user.orgId, user.userId],
    );
    await api.sql.query('UPDATE sessions SET second_factor_at = app_now() WHERE user_id = $1', [user.userId]);
    // whoever has a passkey signs in with it
    const refused = await browser.post(BY_MAIL, { ...send, code });
    expect(refused.headers.location).toMatch(/^\/login\?flow=/);
    expect((await browser.get(SECURITY)).headers.location).toContain(CONFIRM);
  });

  it('makes no token fresh for the calls that open an account (S496)', async () => {
    await aPlainUser();
    const browser = await signedIn();
    const scope = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
    const answer = redirected(await browser.get(authorizeUrl(codeRequest(client, { scope }))));
    const code = answer.get('code');
    expect(code, answer.toString()).not.toBeNull();
    const tokens = await requestToken(api, redemption(code ?? ''), basic(client));
    const { access_token: pat } = tokens.json<TokenAnswer>();
    const begun = await call(api, 'POST', '/auth/v1/users/me/passkeys/_begin', { pat, body: {} });
    expect(begun.statusCode).toBe(401);
    expect(begun.headers['www-authenticate']).toContain('insufficient_user_authentication');
    // nor one that it is exchanged for, which has no session of its own
    const form = {
      grant_type: EXCHANGE,
      subject_token: pat,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const exchanged = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
    expect(exchanged.access_token).toEqual(expect.any(String));
    const again = await call(api, 'POST', '/auth/v1/users/me/passkeys/_begin', {
      pat: exchanged.access_token,
      body: {},
    });
    expect(again.statusCode).toBe(401);
  });
});

describe('somebody with such an identity and a second factor', () => {
  const setPolicy = async (policy: object) =>
    expect((await instanceOwner.call('PUT', 'policies/factors', policy)).statusCode).toBe(200);
  afterEach(async () => {
    await instanceOwner.call('DELETE', 'policies/factors');
  });

  it('shows it at the account that is to be confirmed, in a browser that they trust as well (S360)', async () => {
    await setPolicy({ trustedBrowserDays: '30' });
    const user = await aPlainUser();
    const browser = await signedIn();
    const app = await aTotpSecret(api, user.userId);
    await trustBrowsersOf(api, user.userId);
    // the trust spares it at a sign-in, which opens nothing
    const begun = await browser.get('/login?destination=account');
    expect(await passBy(browser, begun)).toBe('/account');
    const asked = (await browser.get(SECURITY)).headers.location ?? '';
    expect(asked).toContain(CONFIRM);
    const due = await passBy(browser, await browser.get(asked));
    expect(due).toMatch(/^\/login\/second-factor\?flow=/);
    expect((await browser.get(SECURITY)).statusCode).not.toBe(200);
    const page = await browser.get(due);
    const shown = await browser.post('/login/second-factor', {
      ...hiddenFields(page.body),
      code: app.code(api),
    });
    expect(shown.headers.location).toBe('/account');
    expect((await browser.get(SECURITY)).statusCode).toBe(200);
  });

  it('gets a code by mail where the policy asks for none', async () => {
    await setPolicy({ secondFactor: 'off' });
    const user = await aPlainUser();
    const browser = await signedIn();
    await aTotpSecret(api, user.userId);
    const page = await browser.get((await browser.get(SECURITY)).headers.location ?? '');
    expect(page.statusCode).toBe(200);
    await browser.post(`${BY_MAIL}/send`, formAt(page.body, `${BY_MAIL}/send`) ?? {});
    const typing = formAt((await browser.get(`${CONFIRM}?next=${SECURITY}`)).body, BY_MAIL) ?? {};
    const code = await newestCode(api, user.userId);
    expect((await browser.post(BY_MAIL, { ...typing, code })).headers.location).toBe(SECURITY);
    expect((await browser.get(SECURITY)).statusCode).toBe(200);
  });
});

describe('an identity at a provider that says when somebody signed in', () => {
  it('leaves a code by mail for when it does not say so, or is away (S366)', async () => {
    idp = await aProvider(foreign.settings);
    const user = await aPlainUser();
    foreign.subject = user.userId;
    const browser = new AccountBrowser(api);
    const begun = await browser.get('/login?destination=account');
    const back = await foreign.visit(await chooseProvider(browser, begun, idp));
    expect((await browser.get(back)).headers.location).toBe('/account');
    const confirm = (await browser.get(SECURITY)).headers.location ?? '';
    const offered = (await browser.get(confirm)).body;
    expect(formAt(offered, BY_IDENTITY)).toBeDefined();

    // it answers without the time: nothing is confirmed, and the code is still offered
    const sent = await browser.post(BY_IDENTITY, formAt(offered, BY_IDENTITY) ?? {});
    const way = new URL(unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? ''));
    way.searchParams.delete('max_age');
    way.searchParams.delete('prompt');
    const untold = await foreign.visit(way.href);
    const refused = (await browser.get(untold)).headers.location ?? '';
    expect(refused).toBe(`${CONFIRM}?problem=idp-refused`);
    expect((await browser.get(SECURITY)).headers.location).toContain(CONFIRM);
    const page = await browser.get(refused);
    expect(formAt(page.body, BY_IDENTITY)).toBeDefined();
    expect(formAt(page.body, `${BY_MAIL}/send`)).toBeDefined();

    const away = await aProvider({ ...foreign.settings, name: 'Away', issuer: 'http://127.0.0.1:9' });
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: away, externalUserId: 'away' });
    const down = await browser.post(BY_IDENTITY, { ...formAt(page.body, BY_IDENTITY), target: away });
    expect(down.body).toContain('The other service does not answer');
    const code = formAt(down.body, `${BY_MAIL}/send`) ?? {};
    await browser.post(`${BY_MAIL}/send`, code);
    const typing = formAt((await browser.get(confirm)).body, BY_MAIL) ?? {};
    const wrong = await browser.post(BY_MAIL, { ...typing, code: 'ZZZZZZ' });
    expect(wrong.statusCode).toBe(400);
    expect(formAt(wrong.body, BY_IDENTITY)).toBeDefined();
    const right = { ...typing, code: await newestCode(api, user.userId) };
    expect((await browser.post(BY_MAIL, right)).headers.location).toBe(SECURITY);
    expect((await browser.get(SECURITY)).statusCode).toBe(200);
  });

  it('is proof enough at the sign-in itself', async () => {
    idp = await aProvider(foreign.settings);
    const user = await aPlainUser();
    foreign.subject = user.userId;
    const browser = new AccountBrowser(api);
    const begun = await browser.get('/login?destination=account');
    const back = await foreign.visit(await chooseProvider(browser, begun, idp));
    expect((await browser.get(back)).headers.location).toBe('/account');
    // it was not asked to say so, and does not
    const asked = await browser.get(SECURITY);
    expect(asked.headers.location).toContain(CONFIRM);
    const page = await browser.get(asked.headers.location ?? '');
    const fields = formAt(page.body, BY_IDENTITY) ?? {};
    const sent = await browser.post(BY_IDENTITY, fields);
    const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? '');
    const proof = await foreign.visit(way);
    expect((await browser.get(proof)).headers.location).toBe(`${CONFIRM}/done`);
    expect((await browser.get(SECURITY)).statusCode).toBe(200);
  });
});
