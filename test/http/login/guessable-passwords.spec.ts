import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aReplica, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { codeRequest, hiddenFields, obtainTokens, TestBrowser } from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
beforeAll(() => world.allowRegister(true));
const client = given(() => anApplication(world));
const ownClient = given(() => anOwnApplication(world));
const manager = given(() => aServiceUser(world, 'ORG_OWNER'));

const GUESSABLE = errorBody(
  3,
  'Password is easy to guess: a common one, or made of the name or address of its user',
  'DOMAIN-Gu3sA',
);
const RULE = 'nothing that is easy to guess: no common password, name or e-mail address (missing)';

async function register(email: string, newPassword: string, at: TestApi = api) {
  const browser = new TestBrowser(at);
  const fields = await browser.openSignIn(codeRequest(client));
  const page = await browser.get(`/register?flow=${fields['flow']}`);
  return await browser.post('/register', { ...hiddenFields(page.body), email, newPassword });
}

async function changeOwn(user: TestUser, newPassword: string, at: TestApi = api) {
  const { access_token: pat } = await obtainTokens(api, ownClient, user, {
    scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
  });
  const body = { oldPassword: PASSWORD, newPassword };
  return await call(at, 'PUT', '/auth/v1/users/me/password', { pat, body });
}

describe('a password that is easy to guess', () => {
  it('makes no account, and the page says which rule it misses', async () => {
    for (const password of ['Password1!', 'Newcomer-2026!']) {
      const refused = await register('newcomer@mail.test', password);
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain(RULE);
      expect(refused.body).not.toContain(password);
    }
    expect((await register('newcomer@mail.test', 'Tulips-for-7-sisters')).statusCode).toBe(303);
  });

  it('is set by no mail, and the code stays good for another one', async () => {
    const user = await aUser(world);
    await collectMails(api);
    const browser = new TestBrowser(api);
    const asked = hiddenFields((await browser.get('/password/forgotten')).body);
    await browser.post('/password/forgotten', { ...asked, loginName: user.loginName });
    const { url, code } = linkIn((await collectMails(api))[0], '/password/reset');
    const set = async (password: string) => {
      const fields = hiddenFields((await browser.get(url)).body);
      const typed = { code, newPassword: password, repeatPassword: password };
      return await browser.post('/password/reset', { ...fields, ...typed });
    };
    const named = `${user.loginName.split('@')[0]}-A1!`;
    for (const password of ['Password1!', named]) expect((await set(password)).body).toContain(RULE);
    expect((await set('Tulips-for-7-sisters')).statusCode).toBe(200);
  });

  it('is no new password of a user, by themselves or by a manager', async () => {
    const user = await aUser(world);
    const named = `${user.loginName.split('@')[0]}-A1!`;
    expect((await changeOwn(user, named)).json()).toEqual(GUESSABLE);
    const set = (password: string) =>
      call(api, 'POST', `users/${user.userId}/password`, { pat: manager.pat, body: { password } });
    expect((await set('Password1!')).json()).toEqual(GUESSABLE);
    expect((await set('Tulips-for-7-sisters')).statusCode).toBe(200);
  });
});

describe('a password of a data breach', () => {
  const BREACHED = 'Breached-Tulips-7';
  const asked: string[] = [];
  let answers: 'list' | 'nothing' | 'error' = 'list';
  const service = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['add-padding'])}`);
    if (answers === 'nothing') return;
    response.statusCode = answers === 'error' ? 503 : 200;
    const listed = createHash('sha1').update(BREACHED).digest('hex').toUpperCase().slice(5);
    response.end([`${'0'.repeat(35)}:3`, `${listed}:42`, `${'F'.repeat(35)}:0`].join('\r\n'));
  });
  const settings = () => ({
    PASSWORD_BREACH_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/range`,
  });
  beforeAll(() => new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening)));
  const asking = useReplica(api, settings);
  afterAll(() => {
    service.closeAllConnections();
    service.close();
  });

  it('is refused by five digits of its hash, and taken where nobody is asked', async () => {
    const user = await aUser(world);
    expect((await changeOwn(user, BREACHED, asking)).json()).toEqual(
      errorBody(3, 'Password is known from a data breach', 'DOMAIN-Br3cK'),
    );
    const digits = createHash('sha1').update(BREACHED).digest('hex').toUpperCase().slice(0, 5);
    expect(asked).toEqual([`/range/${digits} true`]);
    const refused = await register('breached@mail.test', BREACHED, asking);
    expect(refused.body).toContain('a password that is in no known data breach (missing)');
    expect((await changeOwn(user, BREACHED)).statusCode).toBe(200);
  });

  it.each(['error', 'nothing'] as const)('stops nobody while the service answers with %s', async (how) => {
    answers = how;
    const own = await aReplica(api, settings());
    const before = asked.length;
    expect((await register(`${how}-1@mail.test`, BREACHED, own)).statusCode).toBe(303);
    expect((await register(`${how}-2@mail.test`, BREACHED, own)).statusCode).toBe(303);
    expect(asked.length).toBe(before + 1);
  });
});
