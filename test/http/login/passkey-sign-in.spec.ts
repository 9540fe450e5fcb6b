import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { Authenticator, type Ceremony } from '../../support/authenticator.js';
import {
  basic,
  codeRequest,
  hiddenFields,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aPasskey, HOME, postCredential, type AskedAssertion } from '../../support/passkeys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const own = given(() => anOwnApplication(world));
const owner = given(() => aServiceUser(world, 'IAM_OWNER'));

const withPasskey = (user: TestUser, signCount = 0) => aPasskey(api, own, user, signCount);

/** Somebody in front of the sign-in page, whose script has asked for a challenge. */
async function atSignIn(browser = new TestBrowser(api), changes: Record<string, string> = {}) {
  const fields = await browser.openSignIn(codeRequest(client, changes));
  const ask = async () => (await browser.post('/login/passkey/challenge', fields)).json<AskedAssertion>();
  const send = (assertion: object, form = fields) =>
    postCredential(browser, '/login/passkey', form, assertion);
  return { browser, fields, ask, send };
}

const REFUSED = /^\/login\?flow=[\w-]{22}&passkey=refused$/;

async function refused(response: ReturnType<TestBrowser['post']>): Promise<boolean> {
  const { statusCode, headers } = await response;
  return statusCode === 303 && REFUSED.test(headers.location ?? '');
}

async function eventsOf(user: TestUser): Promise<readonly object[]> {
  const { rows } = await api.sql.query<object>(
    `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'user.human.passkey.counter_went_back'`,
    [user.userId],
  );
  return rows;
}

describe('signing in with a passkey alone', () => {
  it('asks everybody for the same, and stands for two factors', async () => {
    const user = await aUser(world);
    const key = await withPasskey(user, 7);
    const { ask, send } = await atSignIn();
    const options = await ask();
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      rpId: 'id.test',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [],
    });
    const answered = await send(key.assert(options));
    const code = redirected(answered).get('code') ?? '';
    const tokens = (await requestToken(api, redemption(code), basic(client))).json<{ id_token: string }>();
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: user.userId, amr: ['user', 'mfa'] });
    const { rows } = await api.sql.query(
      `SELECT sign_count, backed_up, last_used_at IS NOT NULL AS used FROM passkeys WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ sign_count: '8', backed_up: true, used: true }]);
    // an authenticator that has just lost its copies says so
    const next = await atSignIn();
    await next.send(key.assert({ ...(await next.ask()), backedUp: false }));
    const listed = await owner.call('GET', `users/${user.userId}/passkeys`);
    expect(listed.json()).toMatchObject({
      result: [{ backedUp: false, lastUsedDate: expect.any(String) as string }],
    });
  });

  it('is offered on the page by a script of our own, and by the field of the name', async () => {
    const { browser, fields } = await atSignIn();
    const page = await browser.get(`/login?flow=${fields['flow'] ?? ''}`);
    expect(page.body).toContain('autocomplete="username webauthn"');
    expect(page.headers['content-security-policy']).toMatch(
      /script-src 'nonce-[^']+'; .*connect-src 'self'; /,
    );
    const [, path = ''] = /<script nonce="[^"]+" src="([^"]+)" defer>/.exec(page.body) ?? [];
    const script = await api.app.inject(path);
    expect(script.statusCode).toBe(200);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['cache-control']).toContain('immutable');
  });

  it('says the same of whatever is refused, and lets the password in afterwards', async () => {
    const user = await aUser(world);
    const { browser, ask, send } = await atSignIn();
    const { headers } = await send(new Authenticator(HOME).assert(await ask()));
    const page = await browser.get(headers.location ?? '');
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain('The passkey was not accepted.');
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: 'Marker-Passw0rd!' };
    expect((await browser.post('/login', form)).statusCode).toBe(303);
  });
});

describe('an assertion', () => {
  it('is good once, also at the same time on two replicas', async () => {
    const user = await aUser(world);
    const key = await withPasskey(user);
    const first = await atSignIn();
    const assertion = key.assert(await first.ask());
    const form = { ...first.fields, credential: JSON.stringify(assertion) };
    const cookie = first.browser.cookieHeader;
    const both = await Promise.all(
      [api, replica].map((at) => postForm(at, '/login/passkey', form, { cookie })),
    );
    const wentOn = both.filter(({ headers }) => headers.location?.startsWith('https://rp.test/cb?code='));
    expect(wentOn).toHaveLength(1);
    // and in the next flow of the same browser
    const next = await atSignIn();
    expect(await refused(next.send(assertion))).toBe(true);
  });

  it('is bound to its flow, its browser, its purpose and its time', async () => {
    const key = await withPasskey(await aUser(world));
    const browser = new TestBrowser(api);
    const one = await atSignIn(browser);
    const other = await atSignIn(browser);
    const elsewhere = await atSignIn();
    const assertion = key.assert(await one.ask());
    expect(await refused(other.send(assertion))).toBe(true);
    expect(await refused(elsewhere.send(assertion))).toBe(true);
    // whoever tried it elsewhere has not used it up
    expect((await one.send(assertion)).headers.location).toMatch(/^https:\/\/rp\.test\/cb\?code=/);

    const late = await atSignIn();
    const expired = key.assert(await late.ask());
    await api.advance(301);
    expect(await refused(late.send(expired))).toBe(true);
    const invented = await atSignIn();
    expect(await refused(invented.send(key.assert({ challenge: 'AAAA' })))).toBe(true);
  });

  it('is refused from another page, for another service, without its user, or by another key', async () => {
    const user = await aUser(world);
    const key = await withPasskey(user);
    const stranger = new Authenticator(HOME);
    stranger.userHandle = key.userHandle;
    const attacks: readonly ((options: Ceremony) => object)[] = [
      (options) => key.assert({ ...options, origin: 'https://id.test.evil.test' }),
      (options) => key.assert({ ...options, origin: 'http://id.test' }),
      (options) => key.assert({ ...options, rpId: 'evil.test' }),
      (options) => key.assert({ ...options, verified: false }),
      (options) => key.assert({ ...options, present: false, verified: false }),
      (options) => key.assert({ ...options, type: 'webauthn.create' }),
      (options) => stranger.assert(options),
      // the key of one, the id of another
      (options) => ({ ...stranger.assert(options), id: key.id, rawId: key.id }),
      (options) => {
        const { response, ...rest } = key.assert(options);
        return { ...rest, response: { ...response, userHandle: undefined } };
      },
      (options) => {
        const { response, ...rest } = key.assert(options);
        return {
          ...rest,
          response: { ...response, userHandle: Buffer.from(user.userId).toString('base64url') },
        };
      },
      () => ({}),
      () => ({ id: 'x'.repeat(5000) }),
    ];
    for (const [index, attack] of attacks.entries()) {
      const { ask, send } = await atSignIn();
      expect([index, await refused(send(attack(await ask())))]).toEqual([index, true]);
    }
    const { rows } = await api.sql.query('SELECT last_used_at FROM passkeys WHERE user_id = $1', [
      user.userId,
    ]);
    expect(rows).toEqual([{ last_used_at: null }]);
  });

  it('needs the form of this flow and this browser', async () => {
    const key = await withPasskey(await aUser(world));
    const { ask, send, fields, browser } = await atSignIn();
    const assertion = key.assert(await ask());
    expect((await send(assertion, { ...fields, csrf: 'x' })).statusCode).toBe(403);
    const thief = new TestBrowser(api);
    const form = { ...fields, credential: JSON.stringify(assertion) };
    expect((await thief.post('/login/passkey', form)).statusCode).toBe(403);
    expect((await thief.post('/login/passkey/challenge', fields)).statusCode).toBe(403);
    const evil = await browser.post('/login/passkey/challenge', fields, { origin: 'https://evil.test' });
    expect(evil.statusCode).toBe(403);
  });

  it.each(['inactive', 'locked'])('lets nobody in who is %s', async (state) => {
    const user = await aUser(world);
    const key = await withPasskey(user);
    await api.sql.query(`UPDATE users SET state = $2, token_epoch = token_epoch + 1 WHERE id = $1`, [
      user.userId,
      state,
    ]);
    const { ask, send } = await atSignIn();
    expect(await refused(send(key.assert(await ask())))).toBe(true);
  });

  it('of a user of another organization does not answer what asks for this one', async () => {
    const elsewhere = await anOrganization(api);
    const key = await withPasskey(await aUser(elsewhere));
    const scope = `openid urn:zitadel:iam:org:id:${world.orgId}`;
    const { ask, send } = await atSignIn(new TestBrowser(api), { scope });
    expect(redirected(await send(key.assert(await ask()))).get('error')).toBe('access_denied');
  });

  it('is refused once its passkey is removed', async () => {
    const user = await aUser(world);
    const key = await withPasskey(user);
    const { ask, send } = await atSignIn();
    const assertion = key.assert(await ask());
    await api.sql.query('DELETE FROM passkeys WHERE user_id = $1', [user.userId]);
    expect(await refused(send(assertion))).toBe(true);
  });
});

describe('a counter that goes back', () => {
  async function cloned(user: TestUser) {
    const key = await withPasskey(user, 20);
    const copy = key.clone();
    const first = await atSignIn();
    await first.send(key.assert({ ...(await first.ask()), signCount: 25 }));
    const second = await atSignIn();
    return await second.send(copy.assert({ ...(await second.ask()), signCount: 22 }));
  }

  it('is told to those who look at events, and lets in where the policy says so', async () => {
    const user = await aUser(world);
    expect((await cloned(user)).headers.location).toMatch(/^https:\/\/rp\.test\/cb\?code=/);
    expect(await eventsOf(user)).toEqual([
      { data: { passkeyId: expect.any(String) as string, refused: false } },
    ]);
    const { rows } = await api.sql.query('SELECT sign_count FROM passkeys WHERE user_id = $1', [user.userId]);
    expect(rows).toEqual([{ sign_count: '25' }]);
  });

  it('is refused where the policy of the organization says so', async () => {
    const policy = { passkeyCounter: 'refuse' };
    expect((await owner.call('PUT', 'policies/factors', policy)).statusCode).toBe(200);
    const user = await aUser(world);
    expect((await cloned(user)).headers.location).toMatch(REFUSED);
    expect(await eventsOf(user)).toEqual([
      { data: { passkeyId: expect.any(String) as string, refused: true } },
    ]);
    await owner.call('DELETE', 'policies/factors');
  });

  it('refuses the passkey until it is removed, whatever it counts then', async () => {
    const user = await aUser(world);
    const key = await withPasskey(user, 20);
    const copy = key.clone();
    const show = async (who: Authenticator, signCount: number) => {
      const { ask, send } = await atSignIn();
      return await send(who.assert({ ...(await ask()), signCount }));
    };
    await show(key, 25);
    await show(copy, 22);
    expect((await owner.call('PUT', 'policies/factors', { passkeyCounter: 'refuse' })).statusCode).toBe(200);
    // the copy has caught up, and nobody knows which of the two is whose
    for (const [who, signCount] of [
      [copy, 26],
      [key, 27],
      [copy, 100],
    ] as const) {
      expect((await show(who, signCount)).headers.location).toMatch(REFUSED);
    }
    await owner.call('DELETE', 'policies/factors');
    expect((await show(key, 28)).headers.location).toMatch(/^https:\/\/rp\.test\/cb\?code=/);
    expect(await eventsOf(user)).toHaveLength(1);
  });
});
