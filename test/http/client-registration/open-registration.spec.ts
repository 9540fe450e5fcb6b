import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { MaintenanceStore } from '../../../src/domain/maintenance/maintenance.store.js';
import { aReplica, startTestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  obtainTokens,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import {
  aRegistered,
  metadata,
  REGISTER,
  registering,
  useOpenRegistration,
  type Registered,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from '../oidc/support/answers.js';

// Applications that anyone registers: nobody vouches for them, so their users are asked, and they get little (security S281, S282).

const { closed, api, world } = useOpenRegistration();
const user = given(() => aUser(world));

const PUBLIC = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
};

function clientOf(registered: Registered): TestClient {
  return { id: '', clientId: registered.client_id, clientSecret: registered.client_secret };
}

async function asked(client: TestClient, browser: TestBrowser, changes: Record<string, string> = {}) {
  const { verifier, challenge } = pkce();
  const answered = await browser.signIn({ ...codeRequest(client), ...challenge, ...changes }, user);
  return { answered, verifier };
}

describe('S369 a registration', () => {
  it('has 128 KiB at most, on a client that is there as well', async () => {
    const first = await aRegistered(api, undefined, PUBLIC);
    const large = metadata({ ...PUBLIC, client_id: first.client_id, unknown: 'x'.repeat(128 * 1024) });
    for (const [method, url, token] of [
      ['POST', REGISTER, undefined],
      ['PUT', first.registration_client_uri, first.registration_access_token],
    ] as const) {
      const refused = await registering(api, method, url, token, large);
      expectOAuthError(refused, 400, 'invalid_client_metadata');
      expect(refused.body).toContain('at most 128 KiB');
    }
  });
});

describe('a client that nobody here knows', () => {
  it('signs nobody in before they agree, and is not asked about again', async () => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    const { answered, verifier } = await asked(client, browser);
    expect(answered.headers.location).toMatch(/^\/login\/consent\?/);
    const page = await browser.get(answered.headers.location ?? '');
    expect(page.body).toContain('has registered itself');
    expect(page.body).toContain('rp.test');
    expect(page.body).toContain('see your e-mail address');
    expect(page.body).not.toContain('see your phone number');
    expect(page.body).not.toContain('>Owner<');
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    const code = redirected(agreed).get('code') ?? '';
    const tokens = await requestToken(
      api,
      redemption(code, { client_id: client.clientId, code_verifier: verifier }),
    );
    expect(tokens.json()).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String) as string,
    });

    const again = await browser.get(
      authorizeUrl({ ...codeRequest(client), ...pkce().challenge, prompt: 'none' }),
    );
    expect(redirected(again).get('code')).toEqual(expect.any(String));
    const more = await browser.get(
      authorizeUrl({ ...codeRequest(client), ...pkce().challenge, scope: 'openid phone', prompt: 'none' }),
    );
    expectRedirectedError(more, 'interaction_required');
  });

  it('gets nothing in silence from a browser that is signed in elsewhere', async () => {
    const first = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    await asked(first, browser);
    const second = clientOf(await aRegistered(api, undefined, PUBLIC));
    for (const prompt of ['none', 'select_account']) {
      const begun = await browser.get(authorizeUrl({ ...codeRequest(second), ...pkce().challenge, prompt }));
      expect(begun.headers.location).not.toContain('code=');
    }
  });

  it('hears that its user did not agree', async () => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    const { answered } = await asked(client, browser);
    const page = await browser.get(answered.headers.location ?? '');
    const denied = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'deny' });
    expectRedirectedError(denied, 'access_denied');
  });

  it('has its name and addresses shown as text, and loads nothing', async () => {
    const name = '<img src=x onerror=alert(1)>"\'&lt;/h1&gt;{{7*7}}';
    const registered = await aRegistered(api, undefined, {
      ...PUBLIC,
      client_name: name,
      logo_uri: 'https://evil.test/logo.svg',
      client_uri: 'https://evil.test/',
    });
    expect(registered['client_name']).toBe(name);
    const browser = new TestBrowser(api);
    const begun = await browser.get(
      authorizeUrl({ ...codeRequest(clientOf(registered)), ...pkce().challenge }),
    );
    const signIn = await browser.get(begun.headers.location ?? '');
    const { answered } = await asked(clientOf(registered), browser);
    const consent = await browser.get(answered.headers.location ?? '');
    for (const page of [signIn, consent]) {
      expect(page.body).not.toContain('<img src=x');
      expect(page.body).not.toContain('evil.test/logo');
      expect(page.body).not.toMatch(/src="[^"/]/);
      expect(page.headers['content-security-policy']).not.toContain('evil.test');
    }
    expect(consent.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('gets no more than what says who its user is', async () => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    for (const scope of [
      API_SCOPE,
      'urn:zitadel:iam:org:projects:roles',
      `urn:zitadel:iam:org:id:${world.orgId}`,
    ]) {
      const refused = await browser.get(
        authorizeUrl({ ...codeRequest(client), ...pkce().challenge, scope: `openid ${scope}` }),
      );
      expectRedirectedError(refused, 'invalid_scope');
    }
    const little = clientOf(await aRegistered(api, undefined, { ...PUBLIC, scope: 'openid' }));
    const begun = await browser.get(
      authorizeUrl({ ...codeRequest(little), ...pkce().challenge, scope: 'openid email' }),
    );
    expectRedirectedError(begun, 'invalid_scope');
  });

  /** Tokens for which its user has agreed. */
  async function tokensOf(client: TestClient, changes: Record<string, string>, headers = {}) {
    const browser = new TestBrowser(api);
    const { answered, verifier } = await asked(client, browser, changes);
    const page = await browser.get(answered.headers.location ?? '');
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    const form = redemption(redirected(agreed).get('code') ?? '', { code_verifier: verifier });
    const response = await requestToken(api, { ...form, client_id: client.clientId }, headers);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ access_token: string; id_token: string }>();
  }

  it('gets no claim of a scope that its user was not shown (S282)', async () => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const wanted = { email: null, phone_number: null, name: null, birthdate: null };
    const claims = JSON.stringify({ userinfo: wanted, id_token: wanted });
    const tokens = await tokensOf(client, { scope: 'openid', claims });
    const told = await registering(api, 'GET', '/oidc/v1/userinfo', tokens.access_token);
    expect(told.json()).toEqual({ sub: user.userId });
    for (const name of Object.keys(wanted)) expect(decodeJwt(tokens.id_token)).not.toHaveProperty(name);
  });

  it('hears no roles of the project, and nothing once such clients are shut out (S282)', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const project = `projects/${world.projectId}`;
    await owner.call('POST', `${project}/roles`, { roleKey: 'secret-admin', displayName: 'Admin' });
    await owner.call('PUT', project, { name: 'Project', projectRoleAssertion: true });
    await owner.call('POST', `users/${user.userId}/grants`, {
      projectId: world.projectId,
      roleKeys: ['secret-admin'],
    });
    const known = await obtainTokens(api, await anApplication(world), user);
    expect((await registering(api, 'GET', '/oidc/v1/userinfo', known.access_token)).body).toContain(
      'secret-admin',
    );

    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const tokens = await tokensOf(client, { scope: 'openid' });
    const told = await registering(api, 'GET', '/oidc/v1/userinfo', tokens.access_token);
    expect(told.json()).toEqual({ sub: user.userId });
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty('urn:zitadel:iam:org:project:roles');
    const shut = await registering(closed, 'GET', '/oidc/v1/userinfo', tokens.access_token);
    expect(shut.statusCode, shut.body).toBe(401);
  });

  it.each([
    '',
    '/profile',
    '/email',
    '/phone',
    '/permissions',
    '/sessions',
    '/consents',
    '/factors',
    '/passkeys',
  ])('reads nothing of its user at /auth/v1/users/me%s (S467)', async (part) => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const tokens = await tokensOf(client, { scope: 'openid' });
    const read = await registering(api, 'GET', `/auth/v1/users/me${part}`, tokens.access_token);
    expect(read.statusCode, read.body).toBe(401);
  });

  it('is not of the project: neither in the tokens of its applications, nor they in its own (S282)', async () => {
    const stranger = await aRegistered(api, undefined, { scope: 'openid' });
    const client = clientOf(stranger);
    const own = await anApplication(world, { accessTokenType: 'jwt' });
    const theirs = await obtainTokens(api, own, user);
    const audience = [decodeJwt(theirs.access_token).aud ?? []].flat();
    expect(audience).toContain(own.clientId);
    expect(audience).not.toContain(stranger.client_id);
    await api.sql.query(`UPDATE applications SET access_token_type = 'jwt' WHERE client_id = $1`, [
      stranger.client_id,
    ]);
    const tokens = await tokensOf(client, { scope: 'openid' }, basic(client));
    expect(decodeJwt(tokens.access_token).aud).toEqual([stranger.client_id]);

    const introspect = async (token: string) =>
      (await postForm(api, '/oauth/v2/introspect', { token }, basic(client))).json<{ active: boolean }>();
    const robot = await aServiceUser(world);
    expect(await introspect(theirs.access_token)).toEqual({ active: false });
    expect(await introspect(robot.pat)).toEqual({ active: false });
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true, aud: [stranger.client_id] });
  });

  it('is shut out where the instance takes such clients no more', async () => {
    const registered = await aRegistered(api, undefined, { scope: 'openid offline_access', ...PUBLIC });
    const client = clientOf(registered);
    expect((await closed.app.inject(authorizeUrl(codeRequest(client)))).statusCode).toBe(400);
    const form = refreshRequest('x', { client_id: client.clientId });
    expectOAuthError(await requestToken(closed, form), 401, 'invalid_client');
    const token = registered.registration_access_token;
    const read = await registering(closed, 'GET', registered.registration_client_uri, token);
    expect([401, 404]).toContain(read.statusCode);
    const vouched = await anApplication(world);
    expect((await closed.app.inject(authorizeUrl(codeRequest(vouched)))).statusCode).toBe(302);
  });

  it('registers neither more scopes nor tokens in addresses', async () => {
    for (const changes of [
      { scope: `openid ${API_SCOPE}` },
      { grant_types: ['authorization_code', 'implicit'], response_types: ['id_token token'] },
      { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] },
    ]) {
      const response = await registering(api, 'POST', REGISTER, undefined, metadata(changes));
      expect(expectOAuthError(response, 400, 'invalid_client_metadata')).toContain(
        'without an initial access token',
      );
    }
  });

  // what Visual Studio Code asks for: of discovery all that it knows
  it('is given of the grant types that it asks for what there is without a token, and told so', async () => {
    const { grant_types_supported: supported } = (
      await api.app.inject('/.well-known/openid-configuration')
    ).json<{ grant_types_supported: string[] }>();
    const known = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
    expect(supported).toEqual(expect.arrayContaining(known));
    const registered = await aRegistered(api, undefined, {
      ...PUBLIC,
      grant_types: supported,
      response_types: ['code'],
      redirect_uris: ['https://editor.test/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
      application_type: 'native',
    });
    expect(registered['grant_types']).toEqual(['authorization_code', 'refresh_token']);
    const device = await api.app.inject({
      method: 'POST',
      url: '/oauth/v2/device_authorization',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `client_id=${registered.client_id}&scope=openid`,
    });
    expectOAuthError(device, 400, 'unauthorized_client');
  });

  it('gets no token in an address for what an administrator gave it, and nothing of that without a secret (S507)', async () => {
    const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const client = await aRegistered(api, undefined, { client_name: 'Given some' });
    const keeper = await aServiceUser(world, 'ORG_OWNER');
    const apps = `projects/${world.projectId}/apps`;
    const queries = [{ nameQuery: { name: 'Given some' } }];
    const list = await keeper.call('POST', `${apps}/_search`, { queries });
    const [app] = list.json<{ result: { id: string; oidcConfig: { redirectUris: string[] } }[] }>().result;
    const changed = await keeper.call('PUT', `${apps}/${app?.id ?? ''}/oidc_config`, {
      redirectUris: app?.oidcConfig.redirectUris,
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE', 'OIDC_RESPONSE_TYPE_ID_TOKEN'],
      grantTypes: [
        'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
        'OIDC_GRANT_TYPE_IMPLICIT',
        'OIDC_GRANT_TYPE_TOKEN_EXCHANGE',
      ],
    });
    expect(changed.statusCode, changed.body).toBe(200);
    const put = async (changes: object) =>
      await registering(
        api,
        'PUT',
        client.registration_client_uri,
        client.registration_access_token,
        metadata({ client_id: client.client_id, ...changes }),
      );
    const grant_types = ['authorization_code', 'implicit', EXCHANGE];
    for (const type of ['id_token token', 'code id_token token', 'code id_token']) {
      const refused = await put({ grant_types, response_types: ['code', type] });
      expectOAuthError(refused, 400, 'invalid_client_metadata');
    }
    const given = await put({ grant_types, response_types: ['code', 'id_token'] });
    expect(given.json()).toMatchObject({ grant_types, response_types: ['code', 'id_token'] });
    const bare = await put({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', EXCHANGE],
    });
    expect(bare.json()).toMatchObject({ grant_types: ['authorization_code'] });
  });

  it('loses all that it holds when its user takes the consent back', async () => {
    const client = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    const { answered, verifier } = await asked(client, browser);
    const page = await browser.get(answered.headers.location ?? '');
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    const code = redirected(agreed).get('code') ?? '';
    const form = redemption(code, { client_id: client.clientId, code_verifier: verifier });
    const { access_token: token } = (await requestToken(api, form)).json<{ access_token: string }>();
    const { rows } = await api.sql.query<{ access: string; scopes: string[] }>(
      `SELECT c.access, c.scopes FROM consents c JOIN applications a ON a.id = c.application_id WHERE a.client_id = $1`,
      [client.clientId],
    );
    expect(rows).toMatchObject([{ access: 'none' }]);
    const applications = await browser.get('/account/applications');
    const own = applications.body.split('<form').find((part) => part.includes('/account/applications'));
    expect(own).toBeDefined();
    await browser.post('/account/applications', hiddenFields(`<form${own ?? ''}`));
    const userinfo = await registering(api, 'GET', '/oidc/v1/userinfo', token);
    expect(userinfo.statusCode).toBe(401);
  });
});

describe('a client that nobody uses', () => {
  async function upkeep(): Promise<void> {
    const kept = { sessionSeconds: 1, noticeSeconds: 1, importSeconds: 1 };
    await api.app.get(MaintenanceStore, { strict: false }).removeExpired(2_000, kept);
  }
  async function isThere({ clientId }: TestClient): Promise<boolean> {
    const { rows } = await api.sql.query(`SELECT FROM applications WHERE client_id = $1`, [clientId]);
    return rows.length === 1;
  }

  it('goes after a day, with an event; one that somebody signs in with stays for half a year', async () => {
    const unused = clientOf(await aRegistered(api, undefined, PUBLIC));
    const used = clientOf(await aRegistered(api, undefined, PUBLIC));
    const browser = new TestBrowser(api);
    const { answered } = await asked(used, browser);
    const page = await browser.get(answered.headers.location ?? '');
    await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    await upkeep();
    expect([await isThere(unused), await isThere(used)]).toEqual([true, true]);
    await api.advance(86_400 + 60);
    await upkeep();
    expect([await isThere(unused), await isThere(used)]).toEqual([false, true]);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE type = 'application.removed' AND data ->> 'reason' = 'registration_unused'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    await api.advance(180 * 86_400);
    await upkeep();
    expect(await isThere(used)).toBe(false);
  });
});

describe('a flood', () => {
  it('is stopped by address, and from many addresses all the same', async () => {
    const limited = await aReplica(closed, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
      RATE_LIMIT_REGISTRATION: '3',
      RATE_LIMIT_REGISTRATION_ALL: '8',
    });
    const from = async (address: string) =>
      await registering(limited, 'POST', REGISTER, undefined, metadata(), address);
    const one = [];
    for (let index = 0; index < 5; index += 1) one.push((await from('203.0.113.1')).statusCode);
    expect(one).toEqual([201, 201, 201, 429, 429]);
    const many = [];
    for (let index = 2; index < 12; index += 1) many.push((await from(`203.0.113.${index}`)).statusCode);
    expect(many.filter((status) => status === 201)).toHaveLength(5);
    const refused = await from('203.0.113.99');
    expect(expectOAuthError(refused, 429, 'temporarily_unavailable')).toContain('too many requests');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('from one address fills no more of a day than it may, far below what a project may have (S302)', async () => {
    const patient = await aReplica(closed, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
      RATE_LIMIT_REGISTRATION: '0',
      RATE_LIMIT_REGISTRATION_ALL: '0',
      RATE_LIMIT_REGISTRATION_DAY: '3',
    });
    const from = async (address: string) =>
      await registering(patient, 'POST', REGISTER, undefined, metadata(), address);
    for (const hours of [0, 1, 5]) {
      await patient.advance(hours * 3_600);
      expect((await from('198.51.100.1')).statusCode).toBe(201);
    }
    const refused = await from('198.51.100.1');
    expectOAuthError(refused, 429, 'temporarily_unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
    expect((await from('198.51.100.2')).statusCode).toBe(201);
    await patient.advance(2 * 86_400);
    expect((await from('198.51.100.1')).statusCode).toBe(201);
  });

  it('from an address that has had its day takes nothing of what there is for all (S396)', async () => {
    const narrow = await aReplica(closed, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
      RATE_LIMIT_REGISTRATION: '0',
      RATE_LIMIT_REGISTRATION_ALL: '4',
      RATE_LIMIT_REGISTRATION_DAY: '1',
    });
    await narrow.advance(2 * 86_400);
    const from = async (address: string) =>
      (await registering(narrow, 'POST', REGISTER, undefined, metadata(), address)).statusCode;
    expect(await from('198.51.100.11')).toBe(201);
    for (let n = 0; n < 8; n += 1) expect(await from('198.51.100.11')).toBe(429);
    expect(await from('198.51.100.12')).toBe(201);
  });

  it('of clients that stay ends where a project has ten thousand', async () => {
    const many = await anOrganization(closed);
    const full = await aReplica(closed, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: many.projectId,
      RATE_LIMIT_REGISTRATION: '0',
      RATE_LIMIT_REGISTRATION_ALL: '0',
    });
    await full.sql.query(
      `INSERT INTO applications (org_id, project_id, name, kind, auth_method, registration)
       SELECT $1, $2, 'Flood', 'oidc', 'none', 'anyone' FROM generate_series(1, 10000)`,
      [many.orgId, many.projectId],
    );
    const response = await registering(full, 'POST', REGISTER, undefined, metadata());
    expectOAuthError(response, 503, 'temporarily_unavailable');
    await full.sql.query(`DELETE FROM applications WHERE name = 'Flood'`);
    expect((await registering(full, 'POST', REGISTER, undefined, metadata())).statusCode).toBe(201);
  });
});

describe('what a script in a browser may ask', () => {
  it('is to register, from any origin, since nobody knows the origin yet', async () => {
    const asks = await api.app.inject({
      method: 'OPTIONS',
      url: REGISTER,
      headers: {
        origin: 'https://agent.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(asks.statusCode).toBe(204);
    expect(asks.headers['access-control-allow-origin']).toBe('*');
    expect(asks.headers).not.toHaveProperty('access-control-allow-credentials');
  });
});

describe('a project that has gone', () => {
  it('has nobody register, and tells the operator', async () => {
    const orphan = await aReplica(closed, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: 'nobodys',
    });
    const response = await registering(orphan, 'POST', REGISTER, undefined, metadata());
    expectOAuthError(response, 503, 'temporarily_unavailable');
  });
});

it('needs a project that is named', async () => {
  await expect(startTestApi({ CLIENT_REGISTRATION: 'open' })).rejects.toThrow('CLIENT_REGISTRATION_PROJECT');
});
