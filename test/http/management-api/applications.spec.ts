import { beforeAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, REDIRECT_URI, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  refreshRequest,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let apps: string;

const { api, world: home } = useWorld();
const replica = useReplica(api);
const world = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(async () => {
  apps = `projects/${world.projectId}/apps`;
});

const notFound = errorBody(5, 'Application could not be found', 'QUERY-pCP8P');

let counter = 0;

async function addWeb(body: object = {}): Promise<TestClient> {
  const response = await owner.call('POST', `${apps}/oidc`, {
    name: `App ${(counter += 1)}`,
    redirectUris: [REDIRECT_URI],
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    ...body,
  });
  const { appId, clientId, clientSecret } = response.json<{
    appId: string;
    clientId: string;
    clientSecret?: string;
  }>();
  return { id: appId, clientId, clientSecret: clientSecret ?? '' };
}

const details = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

describe('an OpenID Connect client', () => {
  const config = {
    redirectUris: ['com.example.app:/cb', 'http://localhost/cb'],
    responseTypes: ['OIDC_RESPONSE_TYPE_CODE', 'OIDC_RESPONSE_TYPE_ID_TOKEN'],
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_TOKEN_EXCHANGE'],
    appType: 'OIDC_APP_TYPE_NATIVE',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
    postLogoutRedirectUris: ['https://rp.test/bye'],
    version: 'OIDC_VERSION_1_0',
    devMode: true,
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    accessTokenAtJwt: true,
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    idTokenUserinfoAssertion: true,
    idTokenSignedResponseAlg: 'RS256',
    userinfoSignedResponseAlg: 'RS256',
    authorizationSignedResponseAlg: 'RS256',
    clockSkew: '5s',
    additionalOrigins: ['https://app.test'],
    skipNativeAppSuccessPage: true,
    assertionAudienceIssuerOnly: true,
    requirePushedAuthorizationRequests: true,
    dpopBoundAccessTokens: true,
    securityProfile: 'OIDC_SECURITY_PROFILE_NONE',
    subjectType: 'OIDC_SUBJECT_TYPE_PUBLIC',
    sectorIdentifierUri: 'https://app.test/sector.json',
    backChannelLogoutUri: 'https://rp.test/logout',
    frontChannelLogoutUri: 'http://localhost/logout',
    frontChannelLogoutSessionRequired: true,
    initiateLoginUri: 'http://localhost/begin',
    requestUris: ['https://rp.test/request.jwt', `https://rp.test/other.jwt#${'A'.repeat(43)}`],
    sessionManagement: true,
  };

  it('is shown with every setting as it was given, and with what is unwise about it', async () => {
    const { id, clientId } = await addWeb({ name: 'Everything' });
    const problems = [
      expect.objectContaining({ key: 'Application.OIDC.V1.NotAllCombinationsAreAllowed' }) as unknown,
      expect.objectContaining({ key: 'Application.OIDC.V1.DevMode.HttpRedirectUris' }) as unknown,
    ];
    const changed = await owner.call('PUT', `${apps}/${id}/oidc_config`, config);
    expect(changed.json()).toEqual({
      details: details('2'),
      noneCompliant: true,
      complianceProblems: problems,
    });
    expect((await owner.call('GET', `${apps}/${id}`)).json()).toEqual({
      app: {
        id,
        details: { ...details('2'), creationDate: expect.any(String) as string },
        state: 'APP_STATE_ACTIVE',
        name: 'Everything',
        oidcConfig: {
          ...config,
          clientId,
          allowedOrigins: ['https://app.test', 'http://localhost'],
          noneCompliant: true,
          complianceProblems: problems,
        },
      },
    });
  });

  it('records which settings a change has changed, and none where it writes what is there', async () => {
    const { id } = await addWeb();
    const put = async (body: object) =>
      expect((await owner.call('PUT', `${apps}/${id}/oidc_config`, body)).statusCode).toBe(200);
    await put(config);
    await put(config);
    await put({ ...config, clockSkew: '1s', grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'] });
    await put({ ...config, clockSkew: '1s', frontChannelLogoutUri: undefined, managementAccess: 'none' });
    const [, first, ...changes] = await eventsOf(api, id, 'type', 'fields');
    expect(first?.fields).toEqual(expect.arrayContaining(['appType', 'redirectUris']));
    expect(first?.fields).not.toContain('jwksUri');
    const type = 'application.oidc.changed';
    expect(changes).toEqual([
      { type, fields: [] },
      { type, fields: ['clockSkewSeconds', 'grantTypes'] },
      { type, fields: ['frontChannelLogoutUri', 'grantTypes'] },
    ]);
  });

  it('is held to the rules for redirect URIs of its type when it changes, too', async () => {
    const { id } = await addWeb();
    for (const [body, message] of [
      [{ redirectUris: ['http://rp.test/cb'] }, 'redirectUris[0] must use https'],
      [{ redirectUris: ['com.example:/cb'] }, 'redirectUris[0] must use https'],
      [{ redirectUris: ['https://rp.test/*'] }, 'redirectUris[0] must not contain a wildcard'],
      [
        { appType: 'OIDC_APP_TYPE_NATIVE', redirectUris: ['example:/cb'] },
        'redirectUris[0] has a custom scheme without a dot',
      ],
      [
        { appType: 'OIDC_APP_TYPE_NATIVE', redirectUris: ['http://rp.test/cb'] },
        'redirectUris[0] must use https',
      ],
      [{ postLogoutRedirectUris: ['http://rp.test/'] }, 'postLogoutRedirectUris[0] must use https'],
      [{ initiateLoginUri: 'http://rp.test/begin' }, 'initiateLoginUri must use https'],
      [{ initiateLoginUri: 'https://rp.test/begin#top' }, 'initiateLoginUri must not have a fragment'],
      [
        { appType: 'OIDC_APP_TYPE_NATIVE', initiateLoginUri: 'com.example:/begin' },
        'initiateLoginUri must use https',
      ],
      [{ requestUris: ['http://rp.test/r.jwt'], devMode: true }, 'requestUris[0] must use https'],
      [{ requestUris: ['https://u:p@rp.test/r'] }, 'requestUris[0] must not contain credentials'],
      [{ requestUris: ['https://rp.test/r', 'https://rp.test/r#1'] }, 'requestUris[1] must have no fragment'],
      [{ requestUris: [`https://rp.test/${'r'.repeat(497)}`] }, 'requestUris[0] is longer than 512'],
      [
        { requestUris: Array.from({ length: 11 }, (_, n) => `https://rp.test/${n}`) },
        'requestUris must have',
      ],
      [{ clockSkew: '6s' }, 'clockSkew must be'],
      [{ idTokenSignedResponseAlg: 'none' }, 'idTokenSignedResponseAlg must be'],
      [{ loginVersion: { loginV2: {} } }, 'loginVersion is not supported'],
      [{ name: 'Other' }, 'unknown field "name"'],
    ] as const) {
      const response = await owner.call('PUT', `${apps}/${id}/oidc_config`, body);
      expect(response.statusCode).toBe(400);
      expect(response.json<{ message: string }>().message).toContain(message);
    }
    const native = {
      appType: 'OIDC_APP_TYPE_NATIVE',
      redirectUris: ['http://127.0.0.1/cb', 'com.example:/cb'],
    };
    expect((await owner.call('PUT', `${apps}/${id}/oidc_config`, native)).statusCode).toBe(200);
  });

  it('takes a redirect URI away at once', async () => {
    const client = await addWeb();
    const browser = new TestBrowser(replica);
    expect((await browser.get(authorizeUrl(codeRequest(client)))).statusCode).toBe(302);
    await owner.call('PUT', `${apps}/${client.id}/oidc_config`, { redirectUris: ['https://rp.test/other'] });
    expect((await browser.get(authorizeUrl(codeRequest(client)))).statusCode).toBe(400);
  });

  it('loses its secret, and gets a new one, with the way it authenticates', async () => {
    const client = await addWeb();
    const { access_token: token } = await obtainTokens(api, client, await aUser(world));
    const change = (authMethodType: string) =>
      owner.call('PUT', `${apps}/${client.id}/oidc_config`, {
        redirectUris: [REDIRECT_URI],
        authMethodType: `OIDC_AUTH_METHOD_TYPE_${authMethodType}`,
      });
    expect((await change('POST')).json()).toEqual({ details: details('2') });
    expect((await userinfo(replica, token)).statusCode).toBe(200);
    expect((await change('NONE')).json()).toEqual({ details: details('3') });
    expect((await userinfo(replica, token)).statusCode).toBe(401);
    const again = (await change('BASIC')).json<{ clientSecret: string }>();
    expect(again.clientSecret).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(again.clientSecret).not.toBe(client.clientSecret);
  });

  it('that needs no secret any more loses what the secret guarded: refresh tokens and codes', async () => {
    const client = await addWeb();
    const tokens = await obtainTokens(api, client, await aUser(world));
    const changed = await owner.call('PUT', `${apps}/${client.id}/oidc_config`, {
      redirectUris: [REDIRECT_URI],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
    });
    expect(changed.statusCode).toBe(200);
    const form = refreshRequest(tokens.refresh_token, { client_id: client.clientId });
    const refused = await requestToken(replica, form);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('applies a clock skew of up to five seconds to both tokens', async () => {
    const claimsOf = async (clockSkew: string) => {
      const client = await addWeb({ clockSkew, accessTokenType: 'OIDC_TOKEN_TYPE_JWT' });
      const tokens = await obtainTokens(api, client, await aUser(world));
      const read = (token: string) =>
        JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;
      const access = read(tokens.access_token);
      const id = read(tokens.id_token);
      return {
        access: (access['exp'] ?? 0) - (access['iat'] ?? 0),
        notBefore: (access['nbf'] ?? 0) - (access['iat'] ?? 0),
        id: (id['exp'] ?? 0) - (id['iat'] ?? 0),
        expiresIn: tokens.expires_in,
      };
    };
    const plain = await claimsOf('0s');
    expect(await claimsOf('5s')).toEqual({
      access: plain.access + 10,
      notBefore: 0,
      id: plain.id + 10,
      expiresIn: plain.expiresIn + 5,
    });
  });
});

describe('a secret made anew', () => {
  it('is shown once, replaces the old one on every replica, and ends what that obtained (S180)', async () => {
    const client = await addWeb();
    const tokens = await obtainTokens(api, client, await aUser(world));
    const path = `${apps}/${client.id}/oidc_config/_generate_client_secret`;
    const response = await owner.call('POST', path, {});
    const { clientSecret } = response.json<{ clientSecret: string }>();
    expect(response.json()).toEqual({ clientSecret, details: details('2') });
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect((await refreshTokens(replica, client, tokens)).statusCode).toBe(401);
    expect((await refreshTokens(replica, { ...client, clientSecret }, tokens)).statusCode).toBe(200);
    expect((await owner.call('GET', `${apps}/${client.id}`)).body).not.toContain(clientSecret);
    const { rows } = await api.sql.query<{ kept: string }>(
      `SELECT string_agg(e::text, ' ') AS kept FROM events e WHERE aggregate_id = $1`,
      [client.id],
    );
    expect(rows[0]?.kept).not.toContain(clientSecret);
  });

  it('is refused to an application without one, and to one of the other kind', async () => {
    const spa = await addWeb({
      appType: 'OIDC_APP_TYPE_USER_AGENT',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
    });
    for (const [kind, code] of [
      ['oidc', 'COMMAND-Ma8sd'],
      ['api', 'COMMAND-Gr2fa'],
    ] as const) {
      const response = await owner.call('POST', `${apps}/${spa.id}/${kind}_config/_generate_client_secret`);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 9, details: [{ id: code }] });
    }
  });

  it('of two at once leaves one that works', async () => {
    const client = await addWeb();
    const tokens = await obtainTokens(api, client, await aUser(world));
    const path = `${apps}/${client.id}/oidc_config/_generate_client_secret`;
    const made = await Promise.all(
      [api, replica].map(async (at) => {
        const answer = await owner.call('POST', path, undefined, { on: at });
        return answer.json<{ clientSecret: string }>().clientSecret;
      }),
    );
    const statuses = [];
    for (const clientSecret of made) {
      statuses.push((await refreshTokens(api, { ...client, clientSecret }, tokens)).statusCode);
    }
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401]);
  });
});

describe('an API', () => {
  it('is added with a secret or without, and shown', async () => {
    const response = await owner.call('POST', `${apps}/api`, { name: 'API' });
    const { appId, clientId } = response.json<{ appId: string; clientId: string }>();
    expect(response.json()).toEqual({
      appId,
      clientId,
      clientSecret: expect.stringMatching(/^[A-Za-z0-9]{64}$/) as string,
      details: {
        sequence: '1',
        creationDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
    });
    const keyed = await owner.call('POST', `${apps}/api`, {
      name: 'API with keys',
      authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      assertionAudienceIssuerOnly: true,
    });
    expect(keyed.json()).not.toHaveProperty('clientSecret');
    const narrow = async () =>
      (await owner.call('GET', `${apps}/${keyed.json<{ appId: string }>().appId}`)).json<{
        app: { apiConfig: { assertionAudienceIssuerOnly?: boolean } };
      }>().app.apiConfig.assertionAudienceIssuerOnly;
    expect(await narrow()).toBe(true);
    const wide = { authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' };
    await owner.call('PUT', `${apps}/${keyed.json<{ appId: string }>().appId}/api_config`, wide);
    expect(await narrow()).toBeUndefined();
    expect((await owner.call('GET', `${apps}/${appId}`)).json()).toMatchObject({
      app: { name: 'API', apiConfig: { clientId, authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' } },
    });
    const method = { authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' };
    expect((await owner.call('PUT', `${apps}/${appId}/api_config`, method)).json()).toEqual({
      details: details('2'),
    });
    expect((await eventsOf(api, appId, 'fields')).at(-1)).toEqual({ fields: ['authMethod'] });
    const back = await owner.call('PUT', `${apps}/${appId}/api_config`, {});
    expect(back.json()).toMatchObject({ clientSecret: expect.any(String) as string });
    const secret = await owner.call('POST', `${apps}/${appId}/api_config/_generate_client_secret`);
    expect(secret.json()).toMatchObject({ clientSecret: expect.any(String) as string });
    expect((await owner.call('PUT', `${apps}/${appId}/oidc_config`, {})).statusCode).toBe(400);
    expect((await owner.call('POST', `${apps}/api`, { name: 'API' })).statusCode).toBe(409);
  });

  it('signs nobody in and obtains no tokens', async () => {
    const made = await owner.call('POST', `${apps}/api`, { name: 'No tokens' });
    const { appId, ...keys } = made.json<{ appId: string; clientId: string; clientSecret: string }>();
    const client = { id: appId, ...keys };
    expect((await new TestBrowser(api).get(authorizeUrl(codeRequest(client)))).statusCode).toBe(400);
    const response = await refreshTokens(api, client, { refresh_token: 'rt_x' });
    expect(response.json()).toMatchObject({ error: 'unauthorized_client' });
  });
});

describe('any application', () => {
  it('is renamed, listed by name, and not by another project', async () => {
    const { id } = await addWeb();
    expect((await owner.call('PUT', `${apps}/${id}`, { name: 'Renamed' })).json()).toEqual({
      details: details('2'),
    });
    const other = await addWeb();
    expect((await owner.call('PUT', `${apps}/${other.id}`, { name: 'Renamed' })).statusCode).toBe(409);
    const listed = await owner.call('POST', `${apps}/_search`, {
      queries: [{ nameQuery: { name: 'Renamed' } }],
    });
    expect(listed.json()).toMatchObject({ details: { totalResult: '1' }, result: [{ id }] });
    const project = (await owner.call('POST', 'projects', { name: 'Empty' })).json<{ id: string }>();
    expect((await owner.call('GET', `projects/${project.id}/apps/${id}`)).json()).toEqual(notFound);
    expect((await owner.call('POST', `projects/${project.id}/apps/_search`)).json()).toMatchObject({
      result: [],
    });
  });

  it('ends its tokens on every replica when it is put to rest, and they stay dead', async () => {
    const client = await addWeb();
    const tokens = await obtainTokens(api, client, await aUser(world));
    expect((await owner.call('POST', `${apps}/${client.id}/_deactivate`)).json()).toEqual({
      details: details('2'),
    });
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect((await refreshTokens(replica, client, tokens)).statusCode).toBe(401);
    expect((await owner.call('POST', `${apps}/${client.id}/_deactivate`)).statusCode).toBe(400);
    expect((await owner.call('POST', `${apps}/${client.id}/_reactivate`)).statusCode).toBe(200);
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
  });

  it('leaves nothing behind that works when it is removed', async () => {
    const client = await addWeb();
    const tokens = await obtainTokens(api, client, await aUser(world));
    expect((await owner.call('DELETE', `${apps}/${client.id}`)).json()).toEqual({ details: details('2') });
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect((await owner.call('GET', `${apps}/${client.id}`)).json()).toEqual(notFound);
  });

  it('of another organization is not found, by any mixture of ids', async () => {
    const foreign = await anApplication(home);
    const own = await addWeb();
    for (const path of [
      `projects/${home.projectId}/apps/${foreign.id}`,
      `${apps}/${foreign.id}`,
      `projects/${home.projectId}/apps/${own.id}`,
    ]) {
      for (const response of [
        await owner.call('GET', path),
        await owner.call('PUT', path, { name: 'Mine' }),
        await owner.call('PUT', `${path}/oidc_config`, {}),
        await owner.call('PUT', `${path}/api_config`, {}),
        await owner.call('POST', `${path}/oidc_config/_generate_client_secret`),
        await owner.call('POST', `${path}/api_config/_generate_client_secret`),
        await owner.call('POST', `${path}/_deactivate`),
        await owner.call('POST', `${path}/_reactivate`),
        await owner.call('DELETE', path),
      ]) {
        expect(response.statusCode).toBe(404);
        expect(response.json()).toEqual(notFound);
      }
    }
    expect((await owner.call('POST', `projects/${home.projectId}/apps/_search`)).statusCode).toBe(404);
    expect((await owner.call('POST', `projects/${home.projectId}/apps/api`, { name: 'A' })).statusCode).toBe(
      404,
    );
  });
});

describe('what a request would have needed of an application', () => {
  const keysOf = async (client: TestClient) => {
    const { app } = (await owner.call('GET', `${apps}/${client.id}`)).json<{
      app: { oidcConfig: { complianceProblems?: { key: string }[] }; details: { sequence: string } };
    }>();
    return { keys: (app.oidcConfig.complianceProblems ?? []).map(({ key }) => key), details: app.details };
  };

  it('is told by its compliance problems, once, until it is there (S216)', async () => {
    const client = await anApplication(world, { grantTypes: ['authorization_code'] });
    const { details } = await keysOf(client);
    const scope = 'openid offline_access';
    for (const on of [api, api]) await on.app.inject(authorizeUrl(codeRequest(client, { scope })));
    expect(await keysOf(client)).toEqual({ keys: ['Application.OIDC.V1.GrantType.Refresh.Missed'], details });
    await api.sql.query(
      `UPDATE applications SET grant_types = '{authorization_code,refresh_token}' WHERE id = $1`,
      [client.id],
    );
    expect((await keysOf(client)).keys).toEqual([]);
  });

  it('is told for a redirect URI that needs devMode, and the error names it', async () => {
    const client = await anApplication(world);
    const request = codeRequest(client, { redirect_uri: 'http://localhost:3000/cb' });
    const shown = await api.app.inject(authorizeUrl(request));
    expect(shown.statusCode).toBe(400);
    expect(shown.body).toContain('devMode');
    expect((await keysOf(client)).keys).toEqual(['Application.OIDC.V1.DevMode.Missed']);
    const body = { name: 'Local', redirectUris: ['http://localhost:3000/cb'] };
    const refused = await owner.call('POST', `${apps}/oidc`, body);
    expect(refused.statusCode).toBe(400);
    expect(refused.json<{ message: string }>().message).toMatch(/^redirectUris\[0\] .*devMode/);
  });

  it('is nothing where the request asks for what it may have, or for what nobody may', async () => {
    const client = await anApplication(world);
    const scope = 'openid offline_access';
    await api.app.inject(authorizeUrl(codeRequest(client, { scope })));
    for (const uri of ['https://evil.test/cb', 'javascript:alert(1)', 'http://a b/']) {
      await api.app.inject(authorizeUrl(codeRequest(client, { redirect_uri: uri })));
    }
    expect((await keysOf(client)).keys).toEqual([]);
  });
});
