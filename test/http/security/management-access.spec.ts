import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { aReplica } from '../../support/api.js';
import {
  anApplication,
  anOwnApplication,
  REDIRECT_URI,
  type TestClient,
} from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  tokensOf,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const SCOPE = `openid offline_access ${API_SCOPE}`;

/** The organization that runs the instance, and another one. */
const { api, world: home } = useWorld();
const other = given(() => anOrganization(api));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
const homeOwner = given(() => aServiceUser(home, 'ORG_OWNER'));
const otherOwner = given(() => aServiceUser(other, 'ORG_OWNER'));

async function give(user: { userId: string; orgId: string }, role: Role, orgId?: string): Promise<void> {
  await api.sql.query(
    `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
    [user.userId, user.orgId, role, orgId ?? null],
  );
}

let made = 0;
function configOf(changes: object = {}): object {
  return {
    redirectUris: [REDIRECT_URI],
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    ...changes,
  };
}

interface Registered extends TestClient {
  readonly path: string;
  readonly world: World;
}

/** Registers an application as its organization's owners do. */
async function register(by: ServiceUser, world: World, managementAccess?: string): Promise<Registered> {
  const response = await tryRegister(by, world, managementAccess);
  if (response.statusCode !== 200) throw new Error(response.body);
  const {
    appId: id,
    clientId,
    clientSecret,
  } = response.json<{
    appId: string;
    clientId: string;
    clientSecret: string;
  }>();
  return { id, clientId, clientSecret, world, path: `projects/${world.projectId}/apps/${id}` };
}

async function tryRegister(
  by: ServiceUser,
  world: World,
  managementAccess?: string,
): Promise<LightMyRequestResponse> {
  made += 1;
  return await by.call(
    'POST',
    `projects/${world.projectId}/apps/oidc`,
    { name: `App ${made}`, ...configOf(managementAccess === undefined ? {} : { managementAccess }) },
    { headers: { 'x-zitadel-orgid': world.orgId } },
  );
}

function change(
  by: ServiceUser,
  application: Registered,
  changes: object,
  path = 'oidc_config',
): Promise<LightMyRequestResponse> {
  return by.call(
    path === 'oidc_config' ? 'PUT' : 'POST',
    `${application.path}/${path}`,
    path === 'oidc_config' ? configOf(changes) : changes,
    { headers: { 'x-zitadel-orgid': application.world.orgId } },
  );
}

const request = (client: TestClient, changes: Record<string, string> = {}): Record<string, string> =>
  codeRequest(client, { scope: SCOPE, ...changes });

/** A browser in which somebody is signed in, by an application that asks for nothing of ours. */
async function signedIn(user: TestUser): Promise<TestBrowser> {
  const world = user.orgId === home.orgId ? home : other;
  const browser = new TestBrowser(api);
  await browser.signIn(codeRequest(await anApplication(world)), user);
  return browser;
}

async function ask(browser: TestBrowser, client: TestClient, changes: Record<string, string> = {}) {
  return await browser.get(authorizeUrl(request(client, changes)));
}

const isConsentPage = (response: LightMyRequestResponse): boolean =>
  response.headers.location?.startsWith('/login/consent?flow=') === true;

/** Presses a button of the page that a response led to. */
async function decide(
  browser: TestBrowser,
  asked: LightMyRequestResponse,
  decision: 'allow' | 'deny' = 'allow',
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  expect(asked.headers.location).toMatch(/^\/login\/consent\?flow=/);
  const page = await browser.get(asked.headers.location ?? '');
  expect(page.statusCode).toBe(200);
  return await browser.post('/login/consent', { ...hiddenFields(page.body), decision, ...changes });
}

async function redeem(client: TestClient, answered: LightMyRequestResponse): Promise<TokenAnswer> {
  return await tokensOf(api, client, answered);
}

/** Tokens of somebody who signs in, is asked and agrees. */
async function agreed(client: TestClient, user: TestUser): Promise<TokenAnswer> {
  const browser = await signedIn(user);
  return await redeem(client, await decide(browser, await ask(browser, client)));
}

const status = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  pat: string,
  options: { body?: unknown; orgId?: string } = {},
): Promise<number> =>
  (
    await call(api, method, path, {
      pat,
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.orgId === undefined ? {} : { headers: { 'x-zitadel-orgid': options.orgId } }),
    })
  ).statusCode;

const audienceOf = async (userId: string): Promise<number> =>
  Number(
    (
      await api.sql.query<{ count: string }>(
        `SELECT count(*) FROM authorizations WHERE user_id = $1 AND audience @> ARRAY[(SELECT api_project_id FROM instance)]`,
        [userId],
      )
    ).rows[0]?.count,
  );

describe('S181a: an application of an organization owner, and the browser of an instance owner', () => {
  it('has no silent redirect to a token for the service’s own APIs, in any spelling of its name', async () => {
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const { rows } = await api.sql.query<{ id: string }>('SELECT api_project_id AS id FROM instance');
    const browser = await signedIn(admin);
    for (const [owner, world] of [
      [homeOwner, home],
      [otherOwner, other],
    ] as const) {
      const application = await register(owner, world);
      for (const name of ['zitadel', 'service', rows[0]?.id ?? '']) {
        for (const family of ['zitadel', 'service']) {
          for (const prompt of ['none', '', 'consent', 'login', 'select_account']) {
            const scope = `openid urn:${family}:iam:org:project:id:${name}:aud`;
            const asked = await ask(browser, application, { scope, ...(prompt !== '' && { prompt }) });
            const answer = redirected(asked);
            expect([answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
              'invalid_scope',
              'Marker-state',
              'https://id.test',
            ]);
          }
        }
      }
    }
    expect(await audienceOf(admin.userId)).toBe(0);
  });

  it('is not made more by being an application of the service’s own project', async () => {
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const { rows } = await api.sql.query<{ id: string }>('SELECT api_project_id AS id FROM instance');
    made += 1;
    const created = await homeOwner.call('POST', `projects/${rows[0]?.id ?? ''}/apps/oidc`, {
      name: `App ${made}`,
      ...configOf(),
    });
    const { clientId, clientSecret } = created.json<{ clientId: string; clientSecret: string }>();
    const client = { id: '', clientId, clientSecret };
    const browser = await signedIn(admin);
    const tokens = await redeem(client, await ask(browser, client, { scope: 'openid' }));
    expect(await status('GET', '/admin/v1/keys', tokens.access_token)).toBe(401);
    expect(await audienceOf(admin.userId)).toBe(0);
  });
});

describe('S181b: who gives managementAccess', () => {
  it('is an instance owner for the instance, and an owner for their own organization', async () => {
    const manager = await aServiceUser(home, 'ORG_USER_MANAGER');
    for (const [by, world, access, expected] of [
      [homeOwner, home, 'instance', 403],
      [otherOwner, other, 'instance', 403],
      [manager, home, 'organization', 403],
      [homeOwner, home, 'organization', 200],
      [root, other, 'instance', 200],
      [root, other, 'organization', 200],
      [homeOwner, home, 'none', 200],
      [homeOwner, home, 'all', 400],
    ] as const) {
      const response = await tryRegister(by, world, access);
      expect([access, response.statusCode]).toEqual([access, expected]);
      if (expected === 403 && by !== manager) {
        expect(response.json<{ code: number; message: string }>()).toMatchObject({
          code: 7,
          message: expect.stringContaining('managementAccess') as string,
        });
      }
    }
  });

  it('is shown, kept where it is left out, and lowered by whoever may change the application', async () => {
    const application = await register(root, other, 'instance');
    const shown = async (): Promise<unknown> =>
      (
        await root.call('GET', application.path, undefined, { headers: { 'x-zitadel-orgid': other.orgId } })
      ).json<{ app: { oidcConfig: { managementAccess?: string } } }>().app.oidcConfig.managementAccess;
    expect(await shown()).toBe('instance');
    expect((await change(root, application, {})).statusCode).toBe(200);
    expect(await shown()).toBe('instance');
    expect((await change(otherOwner, application, { managementAccess: 'organization' })).statusCode).toBe(
      200,
    );
    expect(await shown()).toBe('organization');
    expect((await change(otherOwner, application, { managementAccess: 'instance' })).statusCode).toBe(403);
    expect((await change(otherOwner, application, { managementAccess: 'none' })).statusCode).toBe(200);
    expect(await shown()).toBeUndefined();
    const { rows } = await api.sql.query<{ data: object }>(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'application.management_access.changed'
       ORDER BY sequence`,
      [application.id],
    );
    expect(rows.map(({ data }) => data)).toEqual([
      { from: 'instance', to: 'organization' },
      { from: 'organization', to: 'none' },
    ]);
  });

  it('keeps whoever could not give it from making the application theirs', async () => {
    const application = await register(root, other, 'instance');
    for (const response of [
      await change(otherOwner, application, { redirectUris: ['https://evil.test/cb'] }),
      await change(otherOwner, application, {}, 'oidc_config/_generate_client_secret'),
      await otherOwner.call('PUT', application.path, { name: 'Console' }),
    ]) {
      expect(response.statusCode).toBe(403);
      expect(response.json()).toMatchObject({ code: 7 });
    }
    const lowered = { redirectUris: ['https://own.test/cb'], managementAccess: 'none' };
    expect((await change(otherOwner, application, lowered)).statusCode).toBe(200);
    const secret = await change(otherOwner, application, {}, 'oidc_config/_generate_client_secret');
    expect(secret.statusCode).toBe(200);
  });
});

describe('S181c: what a token may do', () => {
  it('with access to the organization is nothing of the instance and nothing elsewhere', async () => {
    const application = await register(otherOwner, other, 'organization');
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const { access_token: foreign } = await agreed(application, admin);
    for (const [method, path, orgId] of [
      ['GET', '/admin/v1/keys', undefined],
      ['GET', 'users/x', home.orgId],
      ['GET', 'orgs/me', other.orgId],
      ['GET', 'orgs/me', home.orgId],
    ] as const) {
      expect(await status(method, path, foreign, orgId === undefined ? {} : { orgId })).toBe(403);
    }
    const members = { userId: admin.userId, roles: ['IAM_OWNER'] };
    expect(await status('POST', '/admin/v1/members', foreign, { body: members })).toBe(403);
    // nor may it change the account by which the rest could be had
    const profile = { firstName: 'Eve', lastName: 'Evil' };
    expect(await status('PUT', '/auth/v1/users/me/profile', foreign, { body: profile })).toBe(403);
    expect(await status('PUT', '/auth/v1/users/me/email', foreign, { body: { email: 'e@evil.test' } })).toBe(
      403,
    );
    expect(await status('GET', '/auth/v1/users/me', foreign)).toBe(200);

    const member = await aUser(other);
    await give(member, 'ORG_OWNER', other.orgId);
    const { access_token: own } = await agreed(application, member);
    expect(await status('GET', 'orgs/me', own)).toBe(200);
    expect(await status('GET', 'orgs/me', own, { orgId: home.orgId })).toBe(403);
    expect(await status('PUT', '/auth/v1/users/me/profile', own, { body: profile })).toBe(200);
  });

  it('does not take over its own user, who may do more than it', async () => {
    const application = await register(otherOwner, other, 'organization');
    const admin = await aUser(other);
    await give(admin, 'IAM_OWNER');
    await give(admin, 'ORG_OWNER', other.orgId);
    const { access_token: token } = await agreed(application, admin);
    expect(await status('GET', 'orgs/me', token)).toBe(200);
    const password = { password: 'Another-Passw0rd!' };
    expect(await status('POST', `users/${admin.userId}/password`, token, { body: password })).toBe(400);
    expect(
      await status('PUT', `users/${admin.userId}/email`, token, {
        body: { email: 'e@evil.test', isEmailVerified: true },
      }),
    ).toBe(400);
    expect(
      await status('PUT', '/auth/v1/users/me/profile', token, { body: { firstName: 'E', lastName: 'E' } }),
    ).toBe(403);
    expect(
      await status('POST', '/admin/v1/members', token, {
        body: { userId: admin.userId, roles: ['IAM_OWNER'] },
      }),
    ).toBe(403);
    const made = await tryRegister({ ...otherOwner, pat: token }, other, 'instance');
    expect(made.statusCode).toBe(403);
  });

  it('is never more than whoever gave it could give at that moment', async () => {
    const giver = await aServiceUser(home, 'IAM_OWNER');
    const application = await register(giver, home, 'instance');
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const { access_token: token } = await agreed(application, admin);
    const keys = () => status('GET', '/admin/v1/keys', token);
    const profile = () =>
      status('PUT', '/auth/v1/users/me/profile', token, { body: { firstName: 'A', lastName: 'B' } });
    expect([await keys(), await profile()]).toEqual([200, 200]);
    const roles = (body: object) => root.call('PUT', `/admin/v1/members/${giver.userId}`, body);
    expect((await roles({ roles: ['IAM_OWNER_VIEWER'] })).statusCode).toBe(200);
    expect([await keys(), await profile()]).toEqual([403, 403]);
    const browser = await signedIn(admin);
    expect(redirected(await ask(browser, application)).get('error')).toBe('invalid_scope');
    expect((await roles({ roles: ['IAM_OWNER'] })).statusCode).toBe(200);
    expect([await keys(), await profile()]).toEqual([200, 200]);
    const off = await root.call('POST', `users/${giver.userId}/_deactivate`, {});
    expect(off.statusCode).toBe(200);
    expect([await keys(), await profile()]).toEqual([403, 403]);
    expect((await root.call('DELETE', `users/${giver.userId}`)).statusCode).toBe(200);
    expect([await keys(), await profile()]).toEqual([403, 403]);
  });

  it('goes with the access at once, for good, on every replica', async () => {
    const replica = await aReplica(api);
    const application = await register(root, other, 'instance');
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const tokens = await agreed(application, admin);
    const use = async (): Promise<number> =>
      (await call(replica, 'GET', '/admin/v1/keys', { pat: tokens.access_token })).statusCode;
    expect(await use()).toBe(200);
    expect((await change(root, application, { managementAccess: 'organization' })).statusCode).toBe(200);
    expect(await use()).toBe(403);
    // back up, but nobody has agreed to that again
    expect((await change(root, application, { managementAccess: 'instance' })).statusCode).toBe(200);
    expect(await use()).toBe(403);
    const browser = await signedIn(admin);
    expect(isConsentPage(await ask(browser, application))).toBe(true);
    expect((await change(otherOwner, application, { managementAccess: 'none' })).statusCode).toBe(200);
    expect(await use()).toBe(401);
    expect((await refreshTokens(replica, application, tokens)).json()).toMatchObject({
      error: 'invalid_grant',
    });
    expect((await change(root, application, { managementAccess: 'instance' })).statusCode).toBe(200);
    expect(await use()).toBe(401);
  });

  it('is not regained by a job of its own', async () => {
    const application = await register(otherOwner, other, 'organization');
    const admin = await aUser(other);
    await give(admin, 'IAM_OWNER');
    await give(admin, 'ORG_OWNER', other.orgId);
    const { access_token: token } = await agreed(application, admin);
    const upload = await api.app.inject({
      method: 'POST',
      url: '/management/v1/imports',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      payload: `${JSON.stringify({ userName: 'x', profile: { firstName: 'A', lastName: 'B' }, email: { email: 'x@x.test' } })}\n`,
    });
    expect(upload.statusCode).toBe(202);
    const { id, instanceWide } = upload.json<{ id: string; instanceWide: boolean }>();
    expect(instanceWide).toBe(false);
    const { rows } = await api.sql.query('SELECT created_through FROM imports WHERE id = $1', [id]);
    expect(rows).toEqual([{ created_through: application.id }]);
  });

  it('makes no credential that answers for more than it could, when whom it is of is promoted', async () => {
    const application = await register(otherOwner, other, 'organization');
    const admin = await aUser(other);
    await give(admin, 'IAM_OWNER');
    await give(admin, 'ORG_OWNER', other.orgId);
    const { access_token: token } = await agreed(application, admin);
    const body = { userName: `robot-${Math.random().toString(36).slice(2)}`, name: 'Robot' };
    const made = await call(api, 'POST', 'users/machine', { pat: token, body });
    const { userId } = made.json<{ userId: string }>();
    const { tokenId, token: pat } = (
      await call(api, 'POST', `users/${userId}/pats`, { pat: token, body: {} })
    ).json<{ tokenId: string; token: string }>();
    const key = await call(api, 'POST', `users/${userId}/keys`, {
      pat: token,
      body: { type: 'KEY_TYPE_JSON' },
    });
    const secret = await call(api, 'PUT', `users/${userId}/secret`, { pat: token, body: {} });
    expect(secret.statusCode).toBe(200);
    const promoted = await root.call('POST', '/admin/v1/members', { userId, roles: ['IAM_OWNER'] });
    expect(promoted.json()).toMatchObject({
      endedCredentials: [
        { kind: 'machine_key', id: key.json<{ keyId: string }>().keyId },
        { kind: 'machine_secret', id: userId },
        { kind: 'personal_access_token', id: tokenId },
      ],
    });
    expect(await status('GET', '/admin/v1/keys', pat)).toBe(401);
  });

  it('is no more after a token exchange by an application that was given nothing', async () => {
    const application = await register(root, home, 'instance');
    const exchanging = ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'];
    const stranger = await anApplication(home, { grantTypes: exchanging });
    const admin = await aUser(home);
    await give(admin, 'IAM_OWNER');
    const scope = `${SCOPE} urn:zitadel:iam:org:project:id:${home.projectId}:aud`;
    const browser = await signedIn(admin);
    const asked = await browser.get(authorizeUrl(codeRequest(application, { scope })));
    const { access_token: token } = await redeem(application, await decide(browser, asked));
    const exchange = async (form: Record<string, string>): Promise<TokenAnswer> =>
      (
        await requestToken(
          api,
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            subject_token: token,
            subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
            ...form,
          },
          basic(stranger),
        )
      ).json<TokenAnswer>();
    expect((await exchange({})).error).toBe('invalid_target');
    expect((await exchange({ scope: `openid ${API_SCOPE}` })).error).toBe('invalid_scope');
    const narrow = await exchange({ audience: stranger.clientId });
    expect(narrow.error).toBeUndefined();
    expect(await status('GET', '/admin/v1/keys', narrow.access_token)).toBe(401);
  });
});

describe('S182: consent', () => {
  let application: Registered;
  let admin: TestUser;
  let browser: TestBrowser;

  beforeAll(async () => {
    application = await register(root, other, 'instance');
  });
  beforeEach(async () => {
    admin = await aUser(home);
    browser = await signedIn(admin);
  });

  const silent = (changes: Record<string, string> = {}) =>
    ask(browser, application, { prompt: 'none', ...changes });

  it('is asked for once, by a page that says who gets what', async () => {
    expect(redirected(await silent()).get('error')).toBe('interaction_required');
    const asked = await ask(browser, application);
    const page = await browser.get(asked.headers.location ?? '');
    for (const text of [
      admin.loginName,
      other.domain,
      `Org ${other.domain}`,
      'rp.test',
      'All organizations',
    ]) {
      expect(page.body).toContain(text);
    }
    const answered = await decide(browser, asked);
    expect(redirected(answered).get('state')).toBe('Marker-state');
    expect(redirected(await silent()).has('code')).toBe(true);
    expect(redirected(await ask(browser, application)).has('code')).toBe(true);
    // for that user alone, and that application alone
    const neighbour = await signedIn(await aUser(home));
    expect(isConsentPage(await ask(neighbour, application))).toBe(true);
    expect(isConsentPage(await ask(browser, await register(root, other, 'instance')))).toBe(true);
  });

  it('that is refused is access_denied, with state and issuer, and nothing is kept', async () => {
    const answer = redirected(await decide(browser, await ask(browser, application), 'deny'));
    expect(Object.fromEntries(answer)).toMatchObject({
      error: 'access_denied',
      state: 'Marker-state',
      iss: 'https://id.test',
    });
    expect(answer.has('code')).toBe(false);
    expect(isConsentPage(await ask(browser, application))).toBe(true);
    expect(await audienceOf(admin.userId)).toBe(0);
  });

  it('comes after a sign-in, and is asked again for prompt=consent only where it is needed at all', async () => {
    const fresh = new TestBrowser(api);
    const signed = await fresh.signIn(request(application), admin);
    expect(redirected(await decide(fresh, signed)).has('code')).toBe(true);
    for (const prompt of ['consent', 'consent login', 'select_account consent']) {
      const asked = await ask(fresh, application, { prompt });
      if (prompt === 'consent') expect(redirected(await decide(fresh, asked)).has('code')).toBe(true);
      else expect(asked.headers.location).toMatch(/^\/login/);
    }
    const again = await ask(fresh, application, { prompt: 'consent' });
    expect(redirected(await decide(fresh, again, 'deny')).get('error')).toBe('access_denied');
    // what was agreed to before is still agreed to
    expect(redirected(await ask(fresh, application)).has('code')).toBe(true);
    const plain = await ask(fresh, application, { prompt: 'consent', scope: 'openid' });
    expect(redirected(plain).has('code')).toBe(true);
    const own = await anOwnApplication(home);
    expect(redirected(await ask(fresh, own, { prompt: 'consent' })).has('code')).toBe(true);
    expect(redirected(await ask(fresh, own, { prompt: 'none' })).has('code')).toBe(true);
  });

  it('is asked again when the access rises, also between the page and the button', async () => {
    const rising = await register(otherOwner, other, 'organization');
    const asked = await ask(browser, rising);
    expect((await change(root, rising, { managementAccess: 'instance' })).statusCode).toBe(200);
    const shown = { access: 'organization' };
    const repeated = await decide(browser, asked, 'allow', shown);
    expect(isConsentPage(repeated)).toBe(true);
    expect(redirected(await decide(browser, repeated)).has('code')).toBe(true);
    const second = await register(otherOwner, other, 'organization');
    expect(redirected(await decide(browser, await ask(browser, second))).has('code')).toBe(true);
    await change(root, second, { managementAccess: 'instance' });
    expect(isConsentPage(await ask(browser, second))).toBe(true);
  });

  it('cannot be skipped by another form, another tab or another browser, or given for somebody else', async () => {
    const asked = await ask(browser, application);
    const page = await browser.get(asked.headers.location ?? '');
    const fields = hiddenFields(page.body);
    const { flow = '' } = fields;
    for (const path of ['/login/verify-email', '/login/change-password', '/login/accounts', '/login']) {
      const posted = await browser.post(path, { ...fields, account: fields['account'] ?? '' });
      expect(redirected(posted).has('code')).toBe(false);
    }
    expect(isConsentPage(await browser.get(`/login/verify-email?flow=${flow}`))).toBe(true);
    const stranger = await signedIn(admin);
    expect((await stranger.post('/login/consent', { ...fields, decision: 'allow' })).statusCode).toBe(403);
    const untied = { ...fields, csrf: 'x', decision: 'allow' };
    expect((await browser.post('/login/consent', untied)).statusCode).toBe(403);
    // somebody else signs in within the same flow: the first page no longer counts
    const eve = await aUser(home);
    const signIn = hiddenFields((await browser.get(`/login?flow=${flow}`)).body);
    const entered = await browser.post('/login', {
      ...signIn,
      loginName: eve.loginName,
      password: 'Marker-Passw0rd!',
    });
    expect(isConsentPage(entered)).toBe(true);
    expect(isConsentPage(await browser.post('/login/consent', { ...fields, decision: 'allow' }))).toBe(true);
    expect(await audienceOf(eve.userId)).toBe(0);
    const done = await decide(browser, entered);
    expect(redirected(done).has('code')).toBe(true);
    // sent twice, or back by the history: the flow is over
    expect((await browser.post('/login/consent', { ...fields, decision: 'allow' })).statusCode).toBe(400);
  });

  it('is not asked of service users, and a sign-in that is refused anyway is not asked either', async () => {
    const strict = await anApplication(home, { managementAccess: 'instance', accessGivenBy: root.userId });
    await api.sql.query('UPDATE projects SET has_project_check = true WHERE id = $1', [home.projectId]);
    try {
      const visitor = await signedIn(await aUser(other));
      expect(redirected(await ask(visitor, strict)).get('error')).toBe('access_denied');
    } finally {
      await api.sql.query('UPDATE projects SET has_project_check = false WHERE id = $1', [home.projectId]);
    }
    expect(await status('GET', '/admin/v1/keys', root.pat)).toBe(200);
  });
});

describe('S183: consents of one’s own', () => {
  const consents = async (pat: string): Promise<readonly { applicationId: string }[]> =>
    (await call(api, 'GET', '/auth/v1/users/me/consents', { pat })).json<{
      result: { applicationId: string }[];
    }>().result;

  it('are shown, and withdrawn with every code, access and refresh token that came of them', async () => {
    const replica = await aReplica(api);
    const user = await aUser(home);
    const [one, two] = [
      await register(root, home, 'instance'),
      await register(homeOwner, home, 'organization'),
    ];
    const browser = await signedIn(user);
    const first = await redeem(one, await decide(browser, await ask(browser, one)));
    const second = await redeem(two, await decide(browser, await ask(browser, two)));
    const plain = await redeem(one, await ask(browser, one, { scope: 'openid offline_access' }));
    const code = redirected(await ask(browser, one)).get('code') ?? '';
    expect(await consents(first.access_token)).toMatchObject([
      { applicationId: two.id, managementAccess: 'organization', organizationId: home.orgId },
      { applicationId: one.id, managementAccess: 'instance', clientId: one.clientId },
    ]);
    const gone = await call(replica, 'DELETE', `/auth/v1/users/me/consents/${one.id}`, {
      pat: second.access_token,
    });
    expect(gone.statusCode).toBe(200);
    const dead = await call(api, 'GET', '/auth/v1/users/me', { pat: first.access_token });
    expect(dead.statusCode).toBe(401);
    const refreshed = async (tokens: TokenAnswer): Promise<number> =>
      (await refreshTokens(api, tokens === second ? two : one, tokens)).statusCode;
    expect([await refreshed(first), await refreshed(plain), await refreshed(second)]).toEqual([
      400, 200, 200,
    ]);
    expect((await requestToken(api, redemption(code), basic(one))).statusCode).toBe(400);
    expect(redirected(await ask(browser, one, { prompt: 'none' })).get('error')).toBe('interaction_required');
    const missing = await call(api, 'DELETE', `/auth/v1/users/me/consents/${one.id}`, {
      pat: second.access_token,
    });
    expect(missing.json()).toMatchObject({ code: 5 });
    const all = await call(api, 'DELETE', '/auth/v1/users/me/consents', { pat: second.access_token });
    expect(all.statusCode).toBe(200);
    expect((await call(api, 'GET', '/auth/v1/users/me', { pat: second.access_token })).statusCode).toBe(401);
  });

  it('are read with openid, withdrawn with the audience, and nobody else’s', async () => {
    const [user, eve] = [await aUser(home), await aUser(home)];
    const application = await register(root, home, 'instance');
    const tokens = await agreed(application, user);
    const evil = await agreed(application, eve);
    expect((await consents(evil.access_token)).map(({ applicationId }) => applicationId)).toEqual([
      application.id,
    ]);
    await call(api, 'DELETE', '/auth/v1/users/me/consents', { pat: evil.access_token });
    expect((await consents(tokens.access_token)).map(({ applicationId }) => applicationId)).toEqual([
      application.id,
    ]);
    const browser = await signedIn(user);
    const plain = await redeem(application, await ask(browser, application, { scope: 'openid' }));
    expect(await consents(plain.access_token)).toHaveLength(1);
    const refused = await call(api, 'DELETE', '/auth/v1/users/me/consents', { pat: plain.access_token });
    expect(refused.statusCode).toBe(401);
  });

  it('S184: withdrawn while codes are issued and tokens refreshed, leave no valid token behind', async () => {
    const user = await aUser(home);
    const application = await register(root, home, 'instance');
    const keeper = await register(root, home, 'instance');
    const { access_token: pat } = await agreed(keeper, user);
    for (let round = 0; round < 8; round += 1) {
      const browser = await signedIn(user);
      const tokens = await redeem(application, await decide(browser, await ask(browser, application)));
      const races = await Promise.all([
        ...[1, 2, 3].map(() => ask(browser, application, { prompt: 'none' })),
        call(api, 'DELETE', `/auth/v1/users/me/consents/${application.id}`, { pat }),
        refreshTokens(api, application, tokens),
        ...[1, 2, 3].map(() => ask(browser, application, { prompt: 'none' })),
      ]);
      expect(races[3]?.statusCode).toBe(200);
      const { rows } = await api.sql.query(
        `SELECT id FROM authorizations WHERE user_id = $1 AND application_id = $2 AND revoked_at IS NULL
           AND audience @> ARRAY[(SELECT api_project_id FROM instance)]`,
        [user.userId, application.id],
      );
      expect(rows).toEqual([]);
      const refreshed = races[4]?.json<Partial<TokenAnswer>>();
      if (refreshed?.access_token !== undefined) {
        expect(await status('GET', '/auth/v1/users/me', refreshed.access_token)).toBe(401);
      }
    }
  });
});
