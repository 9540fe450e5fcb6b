import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aReplica, startTestApi, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { codeRequest, obtainTokens, TestBrowser, userinfo } from '../../support/browser-flow.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { newestCode } from '../../support/mail-code.js';
import { countTogether } from '../../support/rate-limits.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anOwnApplication(world, { additionalOrigins: ['https://app.test'] }));

const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';

async function signedIn(user: TestUser, scope = AUDIENCE, by = client) {
  const { access_token: pat } = await obtainTokens(api, by, user, { scope });
  const me = (method: Method, path = '', body?: unknown, at = api): Promise<LightMyRequestResponse> =>
    call(at, method, `/auth/v1/users/me${path}`, { pat, body });
  return { pat, me };
}

const CHANGES = [
  ['PUT', '/email', { email: 'new@mail.test' }],
  ['PUT', '/phone', { phone: '+41791234567' }],
  ['PUT', '/password', { oldPassword: PASSWORD, newPassword: 'Another-Passw0rd!' }],
] as const;

describe('the own account', () => {
  it('is read with scope openid, and written with the audience of the service only', async () => {
    const other = await anOrganization(api);
    const user = await aUser(other);
    const { me } = await signedIn(user, 'openid', await anApplication(other));
    expect((await me('GET')).json()).toMatchObject({ user: { id: user.userId, userName: user.userName } });
    expect((await me('GET', '/email')).json()).toMatchObject({ email: { isEmailVerified: true } });
    expect((await me('GET', '/sessions')).json<{ result: object[] }>().result).toHaveLength(1);
    for (const [method, path, body] of [
      ...CHANGES,
      ['PUT', '/profile', { firstName: 'Grace', lastName: 'Hopper' }],
      ['POST', '/email/_verify', { code: 'ABCDEF' }],
      ['DELETE', '/sessions', undefined],
    ] as const) {
      expect((await me(method, path, body)).json()).toEqual(
        errorBody(16, 'Errors.Token.Invalid', 'AUTH-7fs1e'),
      );
    }
    expect((await call(api, 'GET', '/auth/v1/users/me')).json()).toEqual(
      errorBody(16, 'auth header missing'),
    );
  });

  it('takes its profile as a whole; an organization in a header changes nothing', async () => {
    const user = await aUser(world);
    const { pat, me } = await signedIn(user);
    const other = await anOrganization(api);
    const response = await call(api, 'PUT', '/auth/v1/users/me/profile', {
      pat,
      body: { firstName: 'Grace', lastName: 'Hopper' },
      headers: { 'x-zitadel-orgid': other.orgId },
    });
    expect(response.json()).toEqual({
      details: { sequence: '2', changeDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect((await me('GET', '/profile')).json()).toMatchObject({ profile: { displayName: 'Grace Hopper' } });
    expect((await me('PUT', '/profile', { firstName: 'A', lastName: 'B', userId: 'x' })).statusCode).toBe(
      400,
    );
  });

  it('S062 asks for a new sign-in before e-mail, phone and password change', async () => {
    const user = await aUser(world);
    const { me } = await signedIn(user);
    await api.advance(601);
    for (const [method, path, body] of CHANGES) {
      const response = await me(method, path, body);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_user_authentication", ' +
          'error_description="sign in again, not more than 600 seconds ago", max_age="600"',
      );
    }
    expect((await me('PUT', '/profile', { firstName: 'A', lastName: 'B' })).statusCode).toBe(200);
    const again = await signedIn(user);
    expect((await again.me('PUT', '/phone', { phone: '+41791234567' })).statusCode).toBe(200);
    await api.advance(540);
    expect((await again.me('PUT', '/phone', { phone: '+41791234568' })).statusCode).toBe(200);
  });

  it("is a service user's too, who has no profile and never signs in", async () => {
    const service = await aServiceUser(world);
    const me = (method: Method, path = '', body?: unknown) =>
      service.call(method, `/auth/v1/users/me${path}`, body);
    expect((await me('GET')).json()).toMatchObject({ user: { id: service.userId, machine: {} } });
    expect((await me('GET', '/profile')).statusCode).toBe(404);
    expect((await me('GET', '/phone')).json()).toEqual(errorBody(5, 'Phone not found', 'COMMAND-2b7Hf'));
    expect((await me('GET', '/sessions')).json()).toEqual({ result: [] });
    for (const [method, path, body] of CHANGES) expect((await me(method, path, body)).statusCode).toBe(401);
  });

  it("is called by scripts of the application's origins only", async () => {
    const { pat } = await signedIn(await aUser(world));
    const from = (origin: string) => call(api, 'GET', '/auth/v1/users/me', { pat, headers: { origin } });
    expect((await from('https://evil.test')).statusCode).toBe(403);
    const preflight = await api.app.inject({
      method: 'OPTIONS',
      url: '/auth/v1/users/me',
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the own e-mail address', () => {
  it('S053 S054 waits for its own code, typed by its own user', async () => {
    const user = await aUser(world);
    const { me } = await signedIn(user);
    expect((await me('PUT', '/email', { email: 'mine@new.test' })).statusCode).toBe(200);
    expect((await me('PUT', '/email', { email: 'mine@new.test', isEmailVerified: true })).statusCode).toBe(
      400,
    );
    const code = await newestCode(api, user.userId);
    const stranger = await signedIn(await aUser(world));
    expect((await stranger.me('POST', '/email/_verify', { code })).json()).toMatchObject({ code: 9 });
    const wrong = code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`;
    expect((await me('POST', '/email/_verify', { code: wrong })).json()).toEqual(
      errorBody(3, 'Code is invalid', 'CODE-woT0xc'),
    );
    expect((await me('POST', '/email/_verify', { code })).json()).toMatchObject({
      details: { sequence: '3' },
    });
    expect((await me('GET', '/email')).json()).toMatchObject({
      email: { email: 'mine@new.test', isEmailVerified: true },
    });
    expect((await me('POST', '/email/_verify', { code })).json()).toMatchObject({ code: 9 });
    expect((await me('POST', '/email/_resend_verification')).json()).toMatchObject({ code: 9 });
  });

  it('of many who type the right code at once, counts one', async () => {
    const user = await aUser(world);
    const { me } = await signedIn(user);
    await me('PUT', '/email', { email: 'race@new.test' });
    const code = await newestCode(api, user.userId);
    const answers = await Promise.all(
      [api, replica, api].map((at) => me('POST', '/email/_verify', { code }, at)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });
});

describe('the own password', () => {
  it("S058 is changed by whoever knows it, which ends every session, the caller's token too", async () => {
    const user = await aUser(world);
    const { pat, me } = await signedIn(user);
    const change = (oldPassword: string, newPassword: string) =>
      me('PUT', '/password', { oldPassword, newPassword });
    expect((await change('wrong', 'Another-Passw0rd!')).json()).toEqual(
      errorBody(3, 'Password is invalid', 'COMMAND-3M0fs'),
    );
    expect((await change(PASSWORD, 'weak')).json()).toMatchObject({ code: 3 });
    expect((await change(PASSWORD, PASSWORD)).json()).toMatchObject({ code: 3 });
    expect((await change(PASSWORD, 'Another-Passw0rd!')).json()).toMatchObject({
      details: { sequence: '2' },
    });
    expect((await userinfo(replica, pat)).statusCode).toBe(401);
    const { rows } = await api.sql.query(`SELECT template FROM notifications WHERE user_id = $1`, [
      user.userId,
    ]);
    expect(rows).toEqual([{ template: 'password_changed' }]);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const form = { ...fields, loginName: user.loginName, password: 'Another-Passw0rd!' };
    expect((await browser.post('/login', form)).statusCode).toBe(303);
  });
});

describe('the own sessions', () => {
  it("end one by one or all, and nobody else's", async () => {
    const user = await aUser(world);
    const first = await signedIn(user);
    const second = await signedIn(user);
    const stranger = await signedIn(await aUser(world));
    const ids = async (me: typeof first.me) =>
      (await me('GET', '/sessions')).json<{ result: { id: string }[] }>().result.map(({ id }) => id);
    const [foreign] = await ids(stranger.me);
    expect((await first.me('DELETE', `/sessions/${foreign}`)).statusCode).toBe(404);
    const [newest] = await ids(first.me);
    expect((await first.me('DELETE', `/sessions/${newest}`)).statusCode).toBe(200);
    expect((await second.me('GET', '', undefined, replica)).statusCode).toBe(401);
    expect((await first.me('DELETE', '/sessions')).statusCode).toBe(200);
    expect((await first.me('GET', '', undefined, replica)).statusCode).toBe(401);
    expect((await stranger.me('GET')).statusCode).toBe(200);
  });
});

describe('rates per caller', () => {
  it('stop one caller, on every replica and every API, and nobody else', async () => {
    const slow = await startTestApi({ RATE_LIMIT_API: '3' }, api);
    const other = await startTestApi({ RATE_LIMIT_API: '3' }, api);
    try {
      await countTogether(slow, other);
      const busy = await aServiceUser(world, 'ORG_OWNER');
      const calm = await aServiceUser(world, 'ORG_OWNER');
      const ask = (at: TestApi, path: string, pat = busy.pat) => call(at, 'GET', path, { pat });
      expect((await ask(slow, `users/${busy.userId}`)).statusCode).toBe(200);
      expect((await ask(other, '/auth/v1/users/me')).statusCode).toBe(200);
      expect((await ask(slow, '/auth/v1/users/me')).statusCode).toBe(200);
      for (const [at, path] of [
        [slow, '/auth/v1/users/me'],
        [other, `users/${busy.userId}`],
      ] as const) {
        const refused = await ask(at, path);
        expect(refused.statusCode).toBe(429);
        expect(refused.json()).toMatchObject({ code: 8 });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await ask(slow, `users/${busy.userId}`, calm.pat)).statusCode).toBe(200);
      expect((await call(slow, 'GET', '/auth/v1/users/me', { pat: 'pat_none' })).statusCode).toBe(401);
    } finally {
      await slow.close();
      await other.close();
    }
  });

  it('are counted by each replica for itself while Redis is away', async () => {
    const alone = await aReplica(api, { RATE_LIMIT_API: '2', REDIS_URL: 'redis://127.0.0.1:1' });
    const { pat } = await aServiceUser(world);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await call(alone, 'GET', '/auth/v1/users/me', { pat })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});
