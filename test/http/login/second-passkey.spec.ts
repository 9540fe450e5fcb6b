import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { Authenticator, type Ceremony } from '../../support/authenticator.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { aTotpSecret } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aPasskey, HOME, postCredential, type AskedAssertion } from '../../support/passkeys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PAGE = '/login/second-factor';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const own = given(() => anOwnApplication(world));
const owner = given(() => aServiceUser(world, 'IAM_OWNER'));

let user: TestUser;
let key: Authenticator;

beforeEach(async () => {
  await api.advance(90);
  await replica.advance(90);
  user = await aUser(world);
  key = await aPasskey(api, own, user, 7);
});

/** Somebody who has shown the password, in front of the page that asks for more. */
async function atPage(whose = user, browser = new TestBrowser(api), changes: Record<string, string> = {}) {
  const signedIn = await browser.signIn(codeRequest(client, changes), whose);
  expect(signedIn.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
  const page = await browser.get(signedIn.headers.location ?? '');
  const fields = hiddenFields(page.body);
  const ask = async () => (await browser.post(`${PAGE}/passkey/challenge`, fields)).json<AskedAssertion>();
  const send = (assertion: object, form: Record<string, string> = fields, by = browser) =>
    postCredential(by, PAGE, { ...form, kind: 'passkey' }, assertion);
  return { browser, page, fields, ask, send };
}

const cameIn = (answered: Awaited<ReturnType<TestBrowser['get']>>) => redirected(answered).has('code');

async function amrOf(answered: Awaited<ReturnType<TestBrowser['get']>>) {
  const tokens = await tokensOf(api, client, answered);
  return decodeJwt(tokens.id_token)['amr'];
}

async function withPolicy<T>(policy: object, work: () => Promise<T>): Promise<T> {
  expect((await owner.call('PUT', 'policies/factors', policy)).statusCode).toBe(200);
  try {
    return await work();
  } finally {
    await owner.call('DELETE', 'policies/factors');
  }
}

describe('a passkey besides the password', () => {
  it.each([
    { verified: true, proof: 'passkey-verified' },
    { verified: false, proof: 'passkey' },
  ])('is enough with its user verified or only there: %j', async ({ verified, proof }) => {
    const { ask, send, browser } = await atPage();
    const options = await ask();
    expect(options).toMatchObject({
      rpId: 'id.test',
      userVerification: 'preferred',
      allowCredentials: [{ type: 'public-key', id: key.id }],
    });
    const before = browser.userAgentSecret;
    const answered = await send(key.assert({ ...options, verified }));
    expect(await amrOf(answered)).toEqual(['pwd', 'user', 'mfa']);
    expect(browser.userAgentSecret).not.toBe(before);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE actor_id = $1 AND type = 'session.factor_verified' ORDER BY created_at DESC LIMIT 1`,
      [user.userId],
    );
    expect(rows).toEqual([{ data: { kind: proof } }]);
  });

  it.each([
    ['wished for', { acr_values: 'phr' }],
    ['demanded', { claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } }) }],
  ])(
    'is what an open session is stepped up to, with its user verified, where that is %s',
    async (_, changes) => {
      const { ask, send, browser } = await atPage();
      expect(await amrOf(await send(key.assert({ ...(await ask()), verified: false })))).toContain('mfa');
      await api.advance(60);
      const asked = await browser.get(authorizeUrl(codeRequest(client, changes)));
      expect(asked.headers.location).toMatch(/^\/login\/second-factor\?flow=/);
      const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
      const challenge = await browser.post(`${PAGE}/passkey/challenge`, fields);
      const options = challenge.json<AskedAssertion>();
      expect(options.userVerification).toBe('required');
      const answered = await send(key.assert({ ...options, verified: true }), fields);
      const tokens = await tokensOf(api, client, answered);
      expect(decodeJwt(tokens.id_token)).toMatchObject({ acr: 'phr', amr: ['pwd', 'user', 'mfa'] });
    },
  );

  it('is asked for first, and what is weaker is a link away', async () => {
    const app = await aTotpSecret(api, user.userId);
    const { page, browser, fields } = await atPage();
    expect(page.body).toContain('id="passkey-form"');
    expect(page.body).not.toContain('id="code"');
    expect(page.body).toContain('id="passkey-absent"');
    expect(page.headers['content-security-policy']).toContain("connect-src 'self'");
    const other = await browser.get(`${PAGE}?flow=${fields['flow'] ?? ''}&kind=totp`);
    expect(other.body).toContain('kind=passkey');
    const form = { ...hiddenFields(other.body), code: app.code(api) };
    expect(await amrOf(await browser.post(PAGE, form))).toEqual(['pwd', 'otp', 'mfa']);
  });

  it('is one factor of two: who signs in with it alone is asked for nothing more', async () => {
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const options = (await browser.post('/login/passkey/challenge', fields)).json<AskedAssertion>();
    const credential = JSON.stringify(key.assert(options));
    expect(cameIn(await browser.post('/login/passkey', { ...fields, credential }))).toBe(true);
  });

  it('was shown by who set it up, and is asked for in every other session of theirs', async () => {
    const other = await aUser(world);
    const elsewhere = new TestBrowser(api);
    await elsewhere.signIn(codeRequest(client), other);
    await aPasskey(api, own, other);
    const none = authorizeUrl(codeRequest(client, { prompt: 'none' }));
    expect(redirected(await elsewhere.get(none)).get('error')).toBe('interaction_required');
    const { rows } = await api.sql.query(
      `SELECT second_factor_at IS NOT NULL AS two FROM sessions WHERE user_id = $1 ORDER BY auth_time`,
      [other.userId],
    );
    expect(rows).toEqual([{ two: false }, { two: true }]);
  });

  it('makes up for no factor that the session lacks', async () => {
    const other = await aUser(world);
    await aPasskey(api, own, other, 0, () => aTotpSecret(api, other.userId));
    const { rows } = await api.sql.query(
      `SELECT second_factor_at IS NOT NULL AS two FROM sessions WHERE user_id = $1`,
      [other.userId],
    );
    expect(rows).toEqual([{ two: false }]);
  });
});

describe('an assertion for the second factor', () => {
  it('is good once, in its own flow and browser', async () => {
    const one = await atPage();
    const same = await atPage(user, one.browser, { prompt: 'login' });
    const elsewhere = await atPage();
    const assertion = key.assert(await one.ask());
    expect((await same.send(assertion)).statusCode).toBe(400);
    expect((await elsewhere.send(assertion)).statusCode).toBe(400);
    expect((await one.send(assertion, one.fields, elsewhere.browser)).statusCode).toBe(403);
    expect(cameIn(await one.send(assertion))).toBe(true);
    const later = await atPage();
    expect((await later.send(assertion)).statusCode).toBe(400);
  });

  it('lets one in of two at once on two replicas', async () => {
    const { ask, fields, browser } = await atPage();
    const credential = JSON.stringify(key.assert(await ask()));
    const cookie = browser.cookieHeader;
    const both = await Promise.all(
      [api, replica].map((at) => postForm(at, PAGE, { ...fields, kind: 'passkey', credential }, { cookie })),
    );
    expect(both.filter(cameIn)).toHaveLength(1);
    expect(both.every(({ statusCode }) => statusCode < 500)).toBe(true);
  });

  it('is refused of another user, another key, another page, for another service or another purpose', async () => {
    const stranger = await aPasskey(api, own, await aUser(world));
    const invented = new Authenticator(HOME);
    invented.userHandle = key.userHandle;
    const attacks: readonly ((options: Ceremony) => object)[] = [
      (options) => stranger.assert(options),
      (options) => ({ ...stranger.assert(options), id: key.id, rawId: key.id }),
      (options) => ({ ...invented.assert(options), id: key.id, rawId: key.id }),
      (options) => key.assert({ ...options, origin: 'https://id.test.evil.test' }),
      (options) => key.assert({ ...options, rpId: 'evil.test' }),
      (options) => key.assert({ ...options, present: false, verified: false }),
      (options) => key.assert({ ...options, type: 'webauthn.create' }),
      () => key.assert({ challenge: 'AAAA' }),
      () => ({}),
    ];
    for (const [index, attack] of attacks.entries()) {
      const { ask, send } = await atPage();
      expect([index, (await send(attack(await ask()))).statusCode]).toEqual([index, 400]);
    }
    // challenges of a sign-in without a password, sent here, and the other way round
    const { ask, send, browser } = await atPage();
    const fields = await browser.openSignIn(codeRequest(client, { prompt: 'login' }));
    const alone = (await browser.post('/login/passkey/challenge', fields)).json<AskedAssertion>();
    expect((await send(key.assert(alone))).statusCode).toBe(400);
    const credential = JSON.stringify(key.assert(await ask()));
    const back = await browser.post('/login/passkey', { ...fields, credential });
    expect(back.headers.location).toContain('passkey=refused');
  });

  it('that comes too late says so and locks nobody out, and one of a removed passkey is worth nothing', async () => {
    await aTotpSecret(api, user.userId);
    const late = await atPage();
    const expired = key.assert(await late.ask());
    await api.advance(301);
    for (let tries = 0; tries < 12; tries += 1) {
      const refused = await late.send(expired);
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('The passkey was not accepted.');
    }
    expect(cameIn(await late.send(key.assert(await late.ask())))).toBe(true);
    const next = await atPage();
    const assertion = key.assert(await next.ask());
    await api.sql.query('DELETE FROM passkeys WHERE user_id = $1', [user.userId]);
    expect((await next.send(assertion)).statusCode).toBe(400);
    expect((await next.browser.post(`${PAGE}/passkey/challenge`, next.fields)).statusCode).toBe(409);
  });

  it('needs the form of this flow and this browser for its challenge', async () => {
    const { fields, browser } = await atPage();
    const path = `${PAGE}/passkey/challenge`;
    expect((await new TestBrowser(api).post(path, fields)).statusCode).toBe(403);
    expect((await browser.post(path, { ...fields, csrf: 'x' })).statusCode).toBe(403);
  });
});

describe('the kinds of the policy', () => {
  it('are the only ones that are asked, offered and taken', async () => {
    const app = await aTotpSecret(api, user.userId);
    await withPolicy({ kinds: ['totp'] }, async () => {
      const { page, fields, send, browser } = await atPage();
      expect(page.body).not.toContain('kind=passkey');
      const forced = await browser.get(`${PAGE}?flow=${fields['flow'] ?? ''}&kind=passkey`);
      expect(forced.body).toContain('id="code"');
      const options = (await browser.post(`${PAGE}/passkey/challenge`, fields)).json<AskedAssertion>();
      expect((await send(key.assert(options))).statusCode).toBe(400);
      expect(cameIn(await browser.post(PAGE, { ...fields, code: app.code(api) }))).toBe(true);
    });
    await withPolicy({ kinds: ['passkey', 'email'] }, async () => {
      const { fields, browser } = await atPage();
      expect((await browser.post(PAGE, { ...fields, kind: 'totp', code: app.code(api, 1) })).statusCode).toBe(
        400,
      );
    });
  });

  it('come in the order of the policy', async () => {
    await aTotpSecret(api, user.userId);
    await withPolicy({ kinds: ['totp', 'passkey'] }, async () => {
      const { page } = await atPage();
      expect(page.body).toContain('id="code"');
      expect(page.body).toContain('kind=passkey');
    });
  });

  it('count those as having none who have no other, recovery codes notwithstanding', async () => {
    await api.sql.query(`INSERT INTO user_recovery_codes (user_id, org_id, hash) VALUES ($1, $2, 'mac:x')`, [
      user.userId,
      user.orgId,
    ]);
    await withPolicy({ kinds: ['sms', 'totp'] }, async () => {
      expect(cameIn(await new TestBrowser(api).signIn(codeRequest(client), user))).toBe(true);
    });
    expect((await atPage()).page.body).toContain('kind=recovery-code');
  });

  it("of an organization let no owner of the instance in with less than the instance's", async () => {
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role) SELECT id, org_id, 'IAM_OWNER' FROM users WHERE id = $1`,
      [user.userId],
    );
    await withPolicy({ secondFactor: 'offered', kinds: ['sms'] }, async () => {
      expect((await atPage()).page.body).toContain('id="passkey-form"');
    });
  });
});

describe('a manager who resets the factors', () => {
  it('takes the passkeys away as well', async () => {
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const factors = `/management/v1/users/${user.userId}/factors`;
    expect((await call(api, 'DELETE', factors, { pat: manager.pat })).statusCode).toBe(200);
    expect(cameIn(await new TestBrowser(api).signIn(codeRequest(client), user))).toBe(true);
  });
});
