import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  codeRequest,
  hiddenFields,
  obtainTokens,
  refreshTokens,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { newestCode } from '../../support/mail-code.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const policy = (method: 'GET' | 'PUT' | 'DELETE', name: string, body?: unknown, pat = owner.pat) =>
  call(api, method, `policies/${name}`, { pat, body });

const DEFAULTS = {
  password: {
    minLength: '8',
    hasLowercase: true,
    hasUppercase: true,
    hasNumber: true,
    hasSymbol: true,
  },
  lockout: {
    maxPasswordAttempts: '10',
    freePasswordAttempts: '5',
    firstWait: '2s',
    lockDuration: '900s',
  },
  tokens: {
    accessTokenLifetime: '43200s',
    idTokenLifetime: '43200s',
    refreshTokenIdleExpiration: '2592000s',
    refreshTokenExpiration: '7776000s',
  },
  login: {
    allowRegister: false,
    requireLoginName: false,
    allowAccountDeletion: false,
    allowExternalIdps: true,
    instanceIdps: [],
  },
  factors: {
    secondFactor: 'required',
    requiredFor: 'owners',
    kinds: ['passkey', 'totp', 'email', 'sms'],
    trustedBrowserDays: '0',
    passkeyCounter: 'event',
    stepUp: 'off',
    stepUpMaxAge: '3600s',
  },
};

const LAX = { minLength: 12, hasUppercase: false, hasNumber: false, hasSymbol: false };

async function signIn(user: TestUser, password: string, at = api): Promise<number> {
  const client = await anApplication(world);
  const browser = new TestBrowser(at);
  const fields = await browser.openSignIn(codeRequest(client));
  return (await browser.post('/login', { ...fields, loginName: user.loginName, password })).statusCode;
}

describe('policies', () => {
  it.each([
    [
      'password',
      LAX,
      { ...DEFAULTS.password, minLength: '12', hasUppercase: false, hasNumber: false, hasSymbol: false },
    ],
    [
      'lockout',
      { maxPasswordAttempts: '3' },
      { ...DEFAULTS.lockout, maxPasswordAttempts: '3', freePasswordAttempts: '3' },
    ],
    ['tokens', { idTokenLifetime: '600s' }, { ...DEFAULTS.tokens, idTokenLifetime: '600s' }],
    [
      'login',
      { allowRegister: true },
      {
        allowRegister: true,
        requireLoginName: false,
        allowAccountDeletion: false,
        allowExternalIdps: true,
        instanceIdps: [],
      },
    ],
    [
      'factors',
      { requiredFor: 'all', kinds: ['totp', 'passkey'], trustedBrowserDays: 30 },
      { ...DEFAULTS.factors, requiredFor: 'all', kinds: ['totp', 'passkey'], trustedBrowserDays: '30' },
    ],
  ] as const)(
    '%s is read, replaced as a whole, and reset, with an event each time',
    async (name, body, shown) => {
      const other = await anOrganization(api);
      const { pat, userId } = await aServiceUser(other, 'ORG_OWNER');
      const unset = {
        policy: DEFAULTS[name],
        inherited: DEFAULTS[name],
        details: { sequence: '0', resourceOwner: other.orgId },
        isDefault: true,
      };
      expect((await policy('GET', name, undefined, pat)).json()).toEqual(unset);
      expect((await policy('PUT', name, body, pat)).json()).toMatchObject({ details: { sequence: '1' } });
      const set = (await policy('GET', name, undefined, pat)).json<{ policy: object; isDefault: boolean }>();
      expect(set).toMatchObject({ policy: shown, inherited: DEFAULTS[name], isDefault: false });
      // what GET gives, PUT takes
      expect((await policy('PUT', name, set.policy, pat)).json()).toMatchObject({
        details: { sequence: '2' },
      });
      expect((await policy('GET', name, undefined, pat)).json()).toMatchObject({ policy: shown });
      expect((await policy('DELETE', name, undefined, pat)).json()).toMatchObject({
        details: { sequence: '3' },
      });
      expect((await policy('GET', name, undefined, pat)).json()).toEqual(unset);
      const kind = name.replace(/s$/, '');
      const { rows } = await api.sql.query(
        `SELECT sequence, type, actor_id FROM events WHERE aggregate_type = $1 AND aggregate_id = $2 ORDER BY position`,
        [`${kind}_policy`, other.orgId],
      );
      expect(rows).toEqual(
        ['changed', 'changed', 'reset'].map((what, index) => ({
          sequence: String(index + 1),
          type: `organization.${kind}_policy.${what}`,
          actor_id: userId,
        })),
      );
      expect((await policy('GET', name)).json()).toMatchObject({ isDefault: true });
    },
  );

  it.each(['password', 'lockout', 'tokens', 'login', 'factors'])(
    '%s asks for its permission',
    async (name) => {
      const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
      const stranger = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
      expect((await policy('GET', name, undefined, manager.pat)).statusCode).toBe(200);
      for (const method of ['PUT', 'DELETE'] as const) {
        expect((await policy(method, name, {}, manager.pat)).statusCode).toBe(403);
        const headers = { 'x-zitadel-orgid': world.orgId };
        const foreign = await stranger.call(method, `policies/${name}`, {}, { headers });
        expect(foreign.statusCode).toBe(403);
      }
    },
  );

  it.each([
    ['password', { minLength: 7 }],
    ['password', { minLength: 73 }],
    ['password', { expireWarnDays: 3 }],
    ['lockout', { maxPasswordAttempts: 0 }],
    ['lockout', { maxPasswordAttempts: 101 }],
    ['lockout', { maxPasswordAttempts: 3, freePasswordAttempts: 4 }],
    ['lockout', { lockDuration: '59s' }],
    ['lockout', { lockDuration: '43201s' }],
    ['tokens', { accessTokenLifetime: '59s' }],
    ['tokens', { accessTokenLifetime: '86401s' }],
    ['tokens', { refreshTokenExpiration: '299s' }],
    ['tokens', { idTokenLifetime: 600 }],
    ['factors', { secondFactor: 'REQUIRED' }],
    ['factors', { kinds: [] }],
    ['factors', { kinds: ['totp', 'totp'] }],
    ['factors', { kinds: ['voice'] }],
    ['factors', { trustedBrowserDays: 91 }],
    ['factors', { stepUpMaxAge: '59s' }],
  ])('%s refuses %j', async (name, body) => {
    expect((await policy('PUT', name, body)).statusCode).toBe(400);
  });
});

describe('the password policy', () => {
  const LAX_PASSWORD = 'marker long and plain';

  beforeAll(async () => void (await policy('PUT', 'password', LAX)));
  afterAll(async () => void (await policy('DELETE', 'password')));

  it('holds for imports and for managers', async () => {
    const { hashedPassword: _, ...human } = record();
    const weak = await importHuman(api, owner.pat, { ...human, password: PASSWORD.slice(0, 11) });
    expect(weak.json()).toEqual(errorBody(3, 'Password is too short', 'DOMAIN-HuJf6'));
    expect((await importHuman(api, owner.pat, { ...human, password: LAX_PASSWORD })).statusCode).toBe(200);
    const { userId } = await aUser(world);
    const set = (password: string) =>
      owner.call('POST', `users/${userId}/password`, { password }, { on: replica });
    expect((await set('marker-shor')).statusCode).toBe(400);
    expect((await set(LAX_PASSWORD)).statusCode).toBe(200);
  });

  it('holds for a forgotten password, whose page shows it', async () => {
    const user = await aUser(world);
    await owner.call('POST', `users/${user.userId}/password/_reset`);
    const code = await newestCode(api, user.userId);
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL`,
      [user.userId],
    );
    const browser = new TestBrowser(api);
    const page = (await browser.get(`/password/reset?id=${rows[0]?.id}&code=${code}`)).body;
    expect(page).toContain('12 characters');
    expect(page).not.toContain('upper-case');
    const submit = async (newPassword: string) =>
      await browser.post('/password/reset', {
        ...hiddenFields(page),
        code,
        newPassword,
        repeatPassword: newPassword,
      });
    expect((await submit('Short-0!')).statusCode).toBe(400);
    expect((await submit(LAX_PASSWORD)).statusCode).toBe(200);
    expect(await signIn(user, LAX_PASSWORD)).toBe(303);
  });

  it('holds for registrations', async () => {
    await world.allowRegister();
    const client = await anApplication(world);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const page = (await browser.get(`/register?flow=${fields['flow']}`)).body;
    expect(page).toContain('12 characters');
    const submit = async (newPassword: string) =>
      await browser.post('/register', {
        ...hiddenFields(page),
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'new-here@mail.test',
        loginName: 'new-here',
        newPassword,
        repeatPassword: newPassword,
      });
    expect((await submit('Short-0!')).statusCode).toBe(400);
    expect((await submit(LAX_PASSWORD)).statusCode).toBe(303);
  });
});

describe('the lockout policy', () => {
  it('counts guesses as it says, on every replica, for users of its organization', async () => {
    const user = await aUser(world);
    const others = await anOrganization(api);
    const other = await aUser(others);
    await policy('PUT', 'lockout', { maxPasswordAttempts: 2, lockDuration: '60s' });
    for (const who of [user, other]) {
      expect(await signIn(who, 'wrong', api)).toBe(400);
      expect(await signIn(who, 'wrong', replica)).toBe(400);
    }
    expect(await signIn(user, PASSWORD, replica)).toBe(400);
    expect(await signIn(other, PASSWORD)).toBe(303);
    await policy('DELETE', 'lockout');
    // the defaults leave five mistakes free
    expect(await signIn(user, PASSWORD)).toBe(303);
  });
});

describe('the token policy', () => {
  it("decides how long tokens live that the organization's applications get", async () => {
    const user = await aUser(world);
    const client = await anApplication(world, { accessTokenType: 'jwt' });
    await policy('PUT', 'tokens', {
      accessTokenLifetime: '300s',
      idTokenLifetime: '600s',
      refreshTokenIdleExpiration: '1000s',
      refreshTokenExpiration: '1500s',
    });
    const tokens = await obtainTokens(replica, client, user, { scope: 'openid offline_access' });
    expect(tokens.expires_in).toBe(300);
    const lifetime = (token: string) => {
      const { exp = 0, iat = 0 } = decodeJwt(token);
      return exp - iat;
    };
    expect(lifetime(tokens.access_token)).toBe(300);
    expect(lifetime(tokens.id_token)).toBe(600);
    const { rows } = await api.sql.query(
      `SELECT round(extract(epoch FROM t.idle_expires_at - t.created_at))::integer AS idle,
              round(extract(epoch FROM f.absolute_expires_at - t.created_at))::integer AS absolute
       FROM refresh_tokens t JOIN refresh_token_families f USING (authorization_id) JOIN authorizations g ON g.id = t.authorization_id
       WHERE g.user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ idle: 1000, absolute: 1500 }]);
    await policy('DELETE', 'tokens');
    const refreshed = await refreshTokens(replica, client, tokens);
    expect(refreshed.json()).toMatchObject({ expires_in: 43_200 });
  });
});
