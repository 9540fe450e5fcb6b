import { describe, expect, it } from 'vitest';
import { codeRequest, TestBrowser, tokensOf } from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

let counter = 0;
const freshName = () => `Name ${(counter += 1)}`;

const createDetails = () => ({
  sequence: '1',
  creationDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

const addProject = (body: unknown) => owner.call('POST', 'projects', body);
const addApplication = (body: unknown) => owner.call('POST', `projects/${world.projectId}/apps/oidc`, body);

interface CreatedApplication {
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

async function row(table: string, id: string): Promise<Record<string, unknown>> {
  const { rows } = await api.sql.query<Record<string, unknown>>(`SELECT * FROM ${table} WHERE id = $1`, [id]);
  return rows[0] ?? {};
}

describe('POST projects', () => {
  it('adds a project', async () => {
    const response = await addProject({
      name: ' Shop ',
      projectRoleAssertion: true,
      has_project_check: true,
      privateLabelingSetting: 2,
    });
    expect(response.statusCode).toBe(200);
    const { id } = response.json<{ id: string }>();
    expect(response.json()).toEqual({ id, details: createDetails() });
    expect(await row('projects', id)).toMatchObject({
      org_id: world.orgId,
      name: 'Shop',
      project_role_assertion: true,
      project_role_check: false,
      has_project_check: true,
      private_labeling_setting: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
    });
    const rows = await eventsOf(api, id, 'type', 'actor_id');
    expect(rows).toEqual([{ type: 'project.added', actor_id: owner.userId }]);
  });

  it('refuses a name that the organization has', async () => {
    const name = freshName();
    await addProject({ name });
    const response = await addProject({ name });
    expect(response.statusCode).toBe(409);
    expect(response.json()).toEqual(errorBody(6, 'Project already exists on organisation', 'V3-DKcYh'));
  });

  it.each([
    [{}, 'name is required'],
    [{ name: '' }, 'name must have 1 to 200 characters'],
    [{ name: '  ' }, 'name must have 1 to 200 characters'],
    [{ name: 'x'.repeat(201) }, 'name must have 1 to 200 characters'],
    [{ name: 'a\0b' }, 'name must not contain control characters'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: 'n', projectRoleCheck: 'true' }, 'projectRoleCheck must be true or false'],
    [{ name: 'n', color: 'red' }, 'unknown field "color"'],
    [{ name: 'n', hasProjectCheck: true, has_project_check: true }, 'given twice'],
    [{ name: 'n', privateLabelingSetting: 'NONE' }, 'privateLabelingSetting must be one of'],
  ])('refuses %j', async (body, message) => {
    const response = await addProject(body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
  });
});

describe('POST projects/{id}/apps/oidc', () => {
  it('adds a confidential web client by default, whose secret works and is stored as a hash', async () => {
    const response = await addApplication({ name: freshName(), redirectUris: ['https://rp.test/cb'] });
    expect(response.statusCode).toBe(200);
    const created = response.json<CreatedApplication>();
    expect(response.json()).toEqual({
      appId: created.appId,
      details: createDetails(),
      clientId: expect.stringMatching(/^\d+$/) as string,
      clientSecret: expect.stringMatching(/^[A-Za-z0-9]{64}$/) as string,
    });
    const stored = await row('applications', created.appId);
    expect(stored).toMatchObject({
      org_id: world.orgId,
      project_id: world.projectId,
      app_type: 'web',
      auth_method: 'client_secret_basic',
      response_types: ['code'],
      grant_types: ['authorization_code'],
      access_token_type: 'opaque',
      dev_mode: false,
      clock_skew_seconds: 0,
    });
    expect(stored['client_secret_hash']).toHaveLength(32);

    const client = { id: created.appId, ...created };
    const user = await aUser(world);
    const answer = await new TestBrowser(api).signIn(codeRequest(client, { scope: 'openid' }), user);
    const tokens = await tokensOf(api, client, answer);
    expect(tokens).toMatchObject({ token_type: 'Bearer' });
  });

  it('takes every setting, by name or number, in either spelling', async () => {
    const response = await addApplication({
      name: freshName(),
      redirectUris: ['com.example.app:/callback', 'http://127.0.0.1/cb', 'https://rp.test/cb'],
      response_types: ['OIDC_RESPONSE_TYPE_CODE', 2],
      grantTypes: [0, 'OIDC_GRANT_TYPE_REFRESH_TOKEN', 4, 1, 3],
      appType: 'OIDC_APP_TYPE_NATIVE',
      authMethodType: 2,
      postLogoutRedirectUris: ['https://rp.test/bye'],
      version: 'OIDC_VERSION_1_0',
      accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
      accessTokenRoleAssertion: true,
      idTokenRoleAssertion: true,
      idTokenUserinfoAssertion: true,
      clockSkew: '3s',
      additionalOrigins: ['https://app.test', 'http://localhost:3000'],
      skipNativeAppSuccessPage: true,
      assertionAudienceIssuerOnly: true,
      backChannelLogoutUri: 'https://rp.test/logout',
      loginVersion: {},
    });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).not.toHaveProperty('clientSecret');
    expect(await row('applications', response.json<CreatedApplication>().appId)).toMatchObject({
      app_type: 'native',
      auth_method: 'none',
      client_secret_hash: null,
      response_types: ['code', 'id_token token'],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:token-exchange',
        'implicit',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      access_token_type: 'jwt',
      access_token_role_assertion: true,
      id_token_role_assertion: true,
      id_token_userinfo_assertion: true,
      clock_skew_seconds: 3,
      additional_origins: ['https://app.test', 'http://localhost:3000'],
      skip_native_app_success_page: true,
      assertion_issuer_only: true,
      back_channel_logout_uri: 'https://rp.test/logout',
    });
  });

  it('points out what is allowed and unwise', async () => {
    const response = await addApplication({ name: freshName(), appType: 'OIDC_APP_TYPE_USER_AGENT' });
    expect(response.json()).toMatchObject({
      noneCompliant: true,
      complianceProblems: [
        { key: 'Application.OIDC.V1.NoRedirectUris', localizedMessage: expect.any(String) as string },
        { key: 'Application.OIDC.V1.UserAgent.AuthMethodType.NotNone' },
      ],
    });
  });

  it.each([
    [['OIDC_RESPONSE_TYPE_ID_TOKEN'], ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE']],
    [['OIDC_RESPONSE_TYPE_CODE'], ['OIDC_GRANT_TYPE_IMPLICIT']],
  ])(
    'points out response types that would be refused for want of a grant: %j with %j',
    async (types, grants) => {
      const settings = { redirectUris: ['https://rp.test/cb'], responseTypes: types, grantTypes: grants };
      expect((await addApplication({ name: freshName(), ...settings })).json()).toMatchObject({
        noneCompliant: true,
        complianceProblems: [{ key: 'Application.OIDC.V1.NotAllCombinationsAreAllowed' }],
      });
    },
  );

  it('refuses a name that the project has, and an organization’s project that is not active', async () => {
    const name = freshName();
    await addApplication({ name });
    const again = await addApplication({ name });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toEqual(errorBody(6, 'Application already exists', 'V3-DKcYh'));
    const { id } = (await addProject({ name: freshName() })).json<{ id: string }>();
    await api.sql.query(`UPDATE projects SET state = 'inactive' WHERE id = $1`, [id]);
    const inactive = await owner.call('POST', `projects/${id}/apps/oidc`, { name });
    expect(inactive.statusCode).toBe(404);
  });

  const uris = (...redirectUris: unknown[]) => ({ redirectUris });
  it.each([
    [uris('https://rp.test/cb', 'http://rp.test/cb'), 'redirectUris[1] must use https'],
    [uris('https://rp.test/cb#x'), 'redirectUris[0] must not have a fragment'],
    [uris('https://*.rp.test/cb'), 'redirectUris[0] must not contain a wildcard'],
    [uris('javascript:alert(1)//https://rp.test/cb'), 'redirectUris[0] has a scheme that is never allowed'],
    [uris('data:text/html,x'), 'redirectUris[0] has a scheme that is never allowed'],
    [uris('vbscript:x'), 'redirectUris[0] has a scheme that is never allowed'],
    [uris('https://a:b@rp.test/'), 'redirectUris[0] must not contain credentials'],
    [uris('/cb'), 'redirectUris[0] is not an absolute URI'],
    [uris('https://rp.test\\@evil.test'), 'redirectUris[0] has characters'],
    [uris(`https://rp.test/${'x'.repeat(3000)}`), 'redirectUris[0] is longer'],
    [uris('com.example:/cb'), 'redirectUris[0] must use https'],
    [uris(7), 'redirectUris[0] must be a string'],
    [
      uris(...Array.from({ length: 1000 }, (_, index) => `https://rp.test/${index}`)),
      'redirectUris must have at most 100 entries',
    ],
    [{ postLogoutRedirectUris: ['http://rp.test/bye'] }, 'postLogoutRedirectUris[0] must use https'],
    [
      { additionalOrigins: ['https://app.test/'] },
      'additionalOrigins[0] must be written as https://app.test',
    ],
    [{ additionalOrigins: ['app.test'] }, 'additionalOrigins[0] is not an origin'],
    [{ additionalOrigins: ['ftp://app.test'] }, 'additionalOrigins[0] must start with'],
    [{ authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS' }, 'authMethodType must be one of'],
    [{ grantTypes: ['password'] }, 'grantTypes[0] must be one of'],
    [{ responseTypes: ['OIDC_RESPONSE_TYPE_TOKEN'] }, 'responseTypes[0] must be one of'],
    [{ appType: 9 }, 'appType must be one of'],
    [{ appType: 'constructor' }, 'appType must be one of'],
    [{ backChannelLogoutUri: 'http://rp.test/logout' }, 'backChannelLogoutUri must use https'],
    [{ backChannelLogoutUri: 'https://rp.test/logout#x' }, 'backChannelLogoutUri must not have a fragment'],
    [{ backChannelLogoutUri: 'https://a:b@rp.test/' }, 'backChannelLogoutUri must not contain credentials'],
    [{ backChannelLogoutUri: 'gopher://rp.test/' }, 'backChannelLogoutUri must use https'],
    [{ backChannelLogoutUri: 7 }, 'backChannelLogoutUri must be a string'],
    [{ loginVersion: { loginV2: {} } }, 'loginVersion is not supported'],
    [{ clockSkew: '6s' }, 'clockSkew must be "0s" to "5s"'],
    [{ clockSkew: 3 }, 'clockSkew must be a duration'],
    [{ clientSecret: 'mine' }, 'unknown field "clientSecret"'],
    [{ clientId: '1' }, 'unknown field "clientId"'],
    [{ name: undefined }, 'name is required'],
  ])('refuses %j (S179)', async (changes, message) => {
    const before = await api.sql.query('SELECT count(*) FROM applications');
    const response = await addApplication({ name: freshName(), ...changes });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
    expect((await api.sql.query('SELECT count(*) FROM applications')).rows).toEqual(before.rows);
  });

  it('lets http through in development mode only', async () => {
    const body = {
      redirectUris: ['http://localhost:9080/cb'],
      postLogoutRedirectUris: ['http://localhost:9080/'],
    };
    expect((await addApplication({ name: freshName(), ...body })).statusCode).toBe(400);
    const response = await addApplication({ name: freshName(), ...body, devMode: true });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      complianceProblems: [{ key: 'Application.OIDC.V1.DevMode.HttpRedirectUris' }],
    });
  });
});
