import { createHash, generateKeyPairSync } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApi, startTestApi } from '../../support/api.js';
import { Authenticator } from '../../support/authenticator.js';
import { call, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { HASH, record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { HOME } from '../../support/passkeys.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world: home } = useWorld();
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
beforeAll(async () => {
  // as old in that role as whoever imports is: what is made in its first seconds counts as made before it
  await api.advance(6);
});
const engine = given(() => new ImportEngine(api));

interface Imported {
  readonly errors?: { type: string; id: string; message: string }[];
  readonly success: { readonly orgs?: Record<string, unknown>[] };
}

/** Imports while a worker is at it. */
async function importData(
  body: unknown,
  headers: Record<string, string> = {},
  into = api,
  by = { engine, pat: root.pat },
): Promise<LightMyRequestResponse> {
  let answered = false;
  const answer = call(into, 'POST', '/admin/v1/import', { pat: by.pat, body, headers }).finally(() => {
    answered = true;
  });
  await expect.poll(async () => answered || (await by.engine.queued()).length > 0).toBe(true);
  await by.engine.drain();
  return await answer;
}

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = {
  type: 'KEY_TYPE_JSON',
  expirationDate: '9999-12-31T23:59:59.000Z',
  publicKey: Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64'),
};
/** The smallest thing that begins as a PNG does. */
const LOGO = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01', 'latin1').toString('base64');
const SECRET = 'a-secret-that-the-client-has-elsewhere';
const passkey = new Authenticator(HOME).exported({
  signCount: 7,
  name: "Ada's phone",
  createdAt: '2024-01-02T03:04:05.678Z',
  lastUsedAt: '2025-01-02T03:04:05.678Z',
});
const hashedClientSecret = { value: `sha256:${createHash('sha256').update(SECRET).digest('hex')}` };

/** Everything that can be carried away, in the form that it comes out in. */
const everything = {
  orgId: 'org-1',
  org: { name: 'Moved' },
  passwordComplexityPolicy: {
    minLength: '12',
    hasLowercase: true,
    hasUppercase: false,
    hasNumber: true,
    hasSymbol: false,
  },
  lockoutPolicy: {
    maxPasswordAttempts: '7',
    freePasswordAttempts: '3',
    firstWait: '4s',
    lockDuration: '600s',
  },
  loginPolicy: {
    allowRegister: false,
    requireLoginName: true,
    allowAccountDeletion: true,
    allowExternalIdps: false,
    instanceIdps: ['idp-1'],
  },
  factorPolicy: {
    secondFactor: 'required',
    requiredFor: 'all',
    kinds: ['totp', 'passkey'],
    trustedBrowserDays: '30',
    passkeyCounter: 'refuse',
    stepUp: 'mfa',
    stepUpMaxAge: '900s',
  },
  labelPolicy: { primaryColor: '#2b50d9', displayName: 'Moved Ltd', logo: LOGO, defaultLanguage: 'de' },
  privacyPolicy: { privacyLink: 'https://moved.test/privacy', helpLink: 'https://moved.test/help' },
  domains: [
    { orgId: 'org-1', domainName: 'moved.test', isVerified: true, isPrimary: true },
    { orgId: 'org-1', domainName: 'also-moved.test', isVerified: true },
    { orgId: 'org-1', domainName: 'not-proven.test' },
  ],
  projects: [
    { projectId: 'p1', project: { name: 'Shop', projectRoleAssertion: true } },
    { projectId: 'p2', project: { name: 'Old shop' }, state: 'PROJECT_STATE_INACTIVE' },
  ],
  projectRoles: [{ projectId: 'p1', roleKey: 'admin', displayName: 'Admin', group: 'staff' }],
  oidcApps: [
    {
      appId: 'app-1',
      app: {
        projectId: 'p1',
        name: 'Web',
        redirectUris: ['https://shop.test/cb'],
        responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
        grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
        appType: 'OIDC_APP_TYPE_WEB',
        authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
        version: 'OIDC_VERSION_1_0',
        securityProfile: 'OIDC_SECURITY_PROFILE_NONE',
        subjectType: 'OIDC_SUBJECT_TYPE_PUBLIC',
        accessTokenType: 'OIDC_TOKEN_TYPE_BEARER',
        clockSkew: '0s',
      },
      clientId: 'client-of-web@elsewhere',
      hashedClientSecret,
    },
  ],
  apiApps: [
    {
      appId: 'api-1',
      app: { projectId: 'p1', name: 'Api', authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' },
      clientId: 'client-of-api',
    },
    {
      appId: 'api-2',
      app: { projectId: 'p2', name: 'Old api', authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' },
      clientId: 'client-of-old-api',
      hashedClientSecret,
      state: 'APP_STATE_INACTIVE',
    },
  ],
  humanUsers: [
    {
      userId: 'auth0|1',
      user: {
        userName: 'ada',
        profile: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          displayName: 'Ada L.',
          gender: 'GENDER_FEMALE',
          birthdate: '1815-12-10',
          website: 'https://ada.test',
          address: { streetAddress: 'Road 1', country: 'GB' },
        },
        email: { email: 'ada@mail.test', isEmailVerified: true, pendingEmail: 'new-ada@mail.test' },
        phone: { phone: '+41791234567', isPhoneVerified: true },
        hashedPassword: { value: HASH },
        otpCode: 'GEZDGNBVGY3TQOJQ',
        recoveryCodes: [{ hash: HASH }],
        codeFactors: ['email', 'sms'],
        passkeys: [passkey],
      },
      state: 'USER_STATE_ACTIVE',
      createdAt: '2019-03-04T05:06:07.890Z',
    },
    {
      userId: 'auth0|2',
      user: {
        userName: 'grace',
        profile: { firstName: 'Grace', lastName: 'Hopper', displayName: 'Grace Hopper' },
        email: { email: 'grace@mail.test', isEmailVerified: true },
        hashedPassword: { value: HASH },
        otpCode: 'otpauth://totp/imported?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA256&digits=8&period=30',
      },
      state: 'USER_STATE_INACTIVE',
      createdAt: '2020-01-02T03:04:05.000Z',
    },
  ],
  machineUsers: [
    {
      userId: 'm1',
      user: {
        userName: 'robot',
        name: 'Robot',
        accessTokenType: 'ACCESS_TOKEN_TYPE_JWT',
        hashedClientSecret,
      },
      state: 'USER_STATE_ACTIVE',
      createdAt: '2021-01-01T00:00:00.000Z',
    },
    {
      userId: 'm2',
      user: { userName: 'old-robot', name: 'Old robot' },
      state: 'USER_STATE_INACTIVE',
      createdAt: '2021-01-01T00:00:00.000Z',
    },
  ],
  machineKeys: [
    { keyId: 'key-m1', userId: 'm1', ...key },
    { keyId: 'key-m2', userId: 'm2', ...key, expirationDate: '2199-01-01T00:00:00.000Z' },
  ],
  appKeys: [{ id: 'key-a1', projectId: 'p1', appId: 'api-1', clientId: 'client-of-api', ...key }],
  userMetadata: [{ id: 'auth0|1', key: 'crm', value: Buffer.from('42').toString('base64') }],
  userGrants: [
    { userId: 'auth0|1', projectId: 'p1', roleKeys: ['admin'] },
    { userId: 'm1', projectId: 'p1', roleKeys: ['admin'], state: 'USER_GRANT_STATE_INACTIVE' },
  ],
  orgMembers: [{ userId: 'auth0|1', roles: ['ORG_OWNER'] }],
};

describe('POST /admin/v1/import and /admin/v1/export', () => {
  it('brings an organization in whole, and gives it back equal; into an empty instance and out again, too', async () => {
    const response = await importData({ dataOrgs: { orgs: [everything] }, timeout: '1m' });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        success: {
          orgs: [
            {
              orgId: 'org-1',
              domains: ['moved.test', 'also-moved.test', 'not-proven.test'],
              projectIds: ['p1', 'p2'],
              projectRoles: ['p1_admin'],
              oidcAppIds: ['app-1'],
              apiAppIds: ['api-1', 'api-2'],
              humanUserIds: ['auth0|1', 'auth0|2'],
              machineUserIds: ['m1', 'm2'],
              machineKeys: ['key-m1', 'key-m2'],
              appKeys: ['key-a1'],
              userMetadata: [{ userId: 'auth0|1', key: 'crm' }],
              userGrants: [
                { projectId: 'p1', userId: 'auth0|1' },
                { projectId: 'p1', userId: 'm1' },
              ],
              orgMembers: ['auth0|1'],
            },
          ],
        },
      },
    ]);
    const wanted = { orgIds: ['org-1'], withPasswords: true, withOtp: true };
    const exported = await root.call('POST', '/admin/v1/export', wanted);
    expect(exported.statusCode).toBe(200);
    expect(exported.json()).toEqual({ orgs: [everything] });

    const empty = await anApi();
    const pat = (await aServiceUser(await anOrganization(empty), 'IAM_OWNER')).pat;
    await empty.advance(6);
    const by = { engine: new ImportEngine(empty), pat };
    const again = await importData({ dataOrgs: exported.json<unknown>() }, {}, empty, by);
    expect(again.json<Imported>().errors).toBeUndefined();
    const out = await call(empty, 'POST', '/admin/v1/export', { pat, body: wanted });
    expect(out.body).toBe(exported.body);
  });

  it('carries every setting of an application, also those that an instance has to serve', async () => {
    const shown = {
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
      appType: 'OIDC_APP_TYPE_WEB',
      version: 'OIDC_VERSION_1_0',
      securityProfile: 'OIDC_SECURITY_PROFILE_NONE',
      subjectType: 'OIDC_SUBJECT_TYPE_PUBLIC',
      accessTokenType: 'OIDC_TOKEN_TYPE_BEARER',
      clockSkew: '0s',
    };
    const pairwise = {
      ...shown,
      projectId: 'apps',
      name: 'Pairwise',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      redirectUris: ['https://one.test/cb', 'https://two.test/cb'],
      subjectType: 'OIDC_SUBJECT_TYPE_PAIRWISE',
      sectorIdentifierUri: 'https://sector.test/list.json',
      jwksUri: 'https://one.test/jwks',
      securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2_MESSAGE_SIGNING',
      requireSignedRequestObject: true,
      requirePushedAuthorizationRequests: true,
      dpopBoundAccessTokens: true,
      assertionAudienceIssuerOnly: true,
    };
    const bound = {
      ...shown,
      projectId: 'apps',
      name: 'Certified',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
      tlsClientAuthSanDns: 'client.test',
      tlsClientCertificateBoundAccessTokens: true,
      redirectUris: ['https://bound.test/cb'],
      frontChannelLogoutUri: 'https://bound.test/out',
      frontChannelLogoutSessionRequired: true,
      backChannelLogoutUri: 'https://bound.test/hear',
      initiateLoginUri: 'https://bound.test/begin',
      requestUris: ['https://bound.test/request.jwt'],
      sessionManagement: true,
      claimsWebhook: true,
      accessTokenAtJwt: true,
      accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
      idTokenSignedResponseAlg: 'RS256',
      userinfoSignedResponseAlg: 'RS256',
      authorizationSignedResponseAlg: 'RS256',
      clockSkew: '2s',
    };
    const organization = {
      orgId: 'org-apps',
      org: { name: 'Applications' },
      projects: [{ projectId: 'apps', project: { name: 'Applications' } }],
      oidcApps: [
        { appId: 'bound', app: bound, clientId: 'client-bound' },
        { appId: 'pairwise', app: pairwise, clientId: 'client-pairwise' },
      ],
    };
    const serving = await startTestApi({ PAIRWISE_SUBJECTS: 'on' });
    try {
      const pat = (await aServiceUser(await anOrganization(serving), 'IAM_OWNER')).pat;
      await serving.advance(6);
      const by = { engine: new ImportEngine(serving), pat };
      const imported = await importData({ dataOrgs: { orgs: [organization] } }, {}, serving, by);
      expect(imported.json<Imported>().errors).toBeUndefined();
      const exported = await call(serving, 'POST', '/admin/v1/export', {
        pat,
        body: { orgIds: ['org-apps'] },
      });
      const { orgs } = exported.json<{ orgs: { oidcApps: { appId: string; app: object }[] }[] }>();
      const apps = orgs[0]?.oidcApps.toSorted((a, b) => (a.appId < b.appId ? -1 : 1));
      expect(apps).toEqual(organization.oidcApps);
    } finally {
      await serving.close();
    }
    // one that serves no pairwise subjects takes all but that application, and says why
    const refused = await importData({ dataOrgs: { orgs: [organization] } });
    expect(refused.json<Imported>().errors).toEqual([
      {
        type: 'oidc_app',
        id: 'pairwise',
        message: expect.stringContaining('does not serve pairwise subjects') as string,
      },
    ]);
  });

  it('S196: carries project grants, and the roles that depend on them, unchanged; a promotion keeps what an owner imported', async () => {
    const giver = {
      orgId: 'giver',
      org: { name: 'Giver' },
      domains: [{ orgId: 'giver', domainName: 'giver.test', isVerified: true, isPrimary: true }],
      projects: [{ projectId: 'given', project: { name: 'Given' } }],
      projectRoles: [{ projectId: 'given', roleKey: 'reader', displayName: 'Reader' }],
      projectGrants: [
        {
          grantId: 'pg-1',
          projectGrant: { projectId: 'given', grantedOrgId: 'taker', roleKeys: ['reader'] },
          state: 'PROJECT_GRANT_STATE_INACTIVE',
        },
      ],
    };
    const taker = {
      orgId: 'taker',
      org: { name: 'Taker' },
      domains: [{ orgId: 'taker', domainName: 'taker.test', isVerified: true, isPrimary: true }],
      machineUsers: [
        {
          userId: 'taker-m',
          user: { userName: 'taker-m', name: 'M', hashedClientSecret },
          state: 'USER_STATE_ACTIVE',
          createdAt: '2024-01-02T03:04:05.000Z',
        },
      ],
      userGrants: [{ userId: 'taker-m', projectId: 'given', projectGrantId: 'pg-1', roleKeys: ['reader'] }],
      orgMembers: [{ userId: 'taker-m', roles: ['ORG_OWNER'] }],
    };
    // the one that is granted to may stand before the one that grants
    const response = await importData({ dataOrgs: { orgs: [taker, giver] }, timeout: '1m' });
    const { errors, success } = response.json<Imported>();
    expect(errors).toBeUndefined();
    expect(success.orgs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          orgId: 'giver',
          projectGrants: [{ grantId: 'pg-1', projectId: 'given', orgId: 'taker' }],
        }),
        expect.objectContaining({
          orgId: 'taker',
          userGrants: [{ projectId: 'given', userId: 'taker-m' }],
        }),
      ]),
    );
    const body = { orgIds: ['giver', 'taker'], withPasswords: true };
    const exported = await root.call('POST', '/admin/v1/export', body);
    expect(exported.json<{ orgs: unknown[] }>().orgs).toEqual(expect.arrayContaining([giver, taker]));
    const beyond = [{ userId: 'taker-m', projectId: 'given', projectGrantId: 'nobodys', roleKeys: [] }];
    const { domains: _, machineUsers: __, orgMembers: ___, ...rest } = taker;
    const refused = await importData({ dataOrgs: { orgs: [{ ...rest, userGrants: beyond }] } });
    expect(refused.json<Imported>().errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'user_grant', id: 'taker-m_given' })]),
    );
  });

  it('S155: exports no hash unless it is asked for', async () => {
    const { body } = await root.call('POST', '/admin/v1/export', {});
    expect(body).toContain('auth0|1');
    expect(body).not.toContain('pbkdf2');
    expect(body).not.toContain('sha256:');
    expect(body).not.toContain('otpCode');
    const excluded = { excludedOrgIds: ['org-1'] };
    const without = await root.call('POST', '/admin/v1/export', excluded);
    expect(without.body).not.toContain('auth0|1');
  });

  it('lets clients and service users in as they were elsewhere, and keeps what is at rest at rest', async () => {
    const token = async (name: string) => {
      const credentials = Buffer.from(`${encodeURIComponent(name)}:${SECRET}`).toString('base64');
      const response = await postForm(api, '/oauth/v2/token', 'grant_type=client_credentials&scope=openid', {
        authorization: `Basic ${credentials}`,
      });
      return response.statusCode;
    };
    expect(await token('robot@moved.test')).toBe(200);
    expect(await token('old-robot@moved.test')).toBe(401);
    const ask = async (name: string) => {
      const credentials = Buffer.from(`${encodeURIComponent(name)}:${SECRET}`).toString('base64');
      const response = await postForm(api, '/oauth/v2/introspect', 'token=nothing', {
        authorization: `Basic ${credentials}`,
      });
      return response.statusCode;
    };
    expect(await ask('client-of-web@elsewhere')).toBe(200);
    expect(await ask('client-of-old-api')).toBe(401);
  });

  it('is 504 when an export takes longer than its timeout, and 400 for what is no duration', async () => {
    const ask = async (timeout: string) => {
      const response = await root.call('POST', '/admin/v1/export', { timeout });
      return [response.statusCode, response.json<{ code?: number }>().code];
    };
    expect(await ask('1ns')).toEqual([504, 4]);
    expect(await ask('half an hour')).toEqual([400, 3]);
    expect(await ask('9999999h')).toEqual([200, undefined]);
  });

  it('exports an organization that rests as one that rests', async () => {
    const org = { orgId: 'resting', org: { name: 'Resting' }, orgState: 'ORG_STATE_INACTIVE' };
    await importData({ dataOrgs: { orgs: [org] } });
    const body = { orgIds: ['resting'] };
    const response = await root.call('POST', '/admin/v1/export', body);
    expect(response.json()).toMatchObject({ orgs: [org] });
  });

  it('does no harm the second time, and says of each thing that it is there', async () => {
    const response = await importData({ dataOrgs: { orgs: [everything] } });
    const { errors = [], success } = response.json<Imported>();
    // what is exactly so already is no error
    const userMetadata = [{ userId: 'auth0|1', key: 'crm' }];
    expect(success).toEqual({ orgs: [{ orgId: 'org-1', userMetadata, domains: ['moved.test'] }] });
    expect(errors.map(({ type }) => type)).not.toContain('login_policy');
    expect(errors.map(({ type, id }) => `${type} ${id}`)).toEqual([
      'domain org-1_also-moved.test',
      'domain org-1_not-proven.test',
      'project p1',
      'project p2',
      'project_role p1_admin',
      'oidc_app app-1',
      'api_app api-1',
      'api_app api-2',
      'human_user auth0|1',
      'human_user auth0|2',
      'machine_user m1',
      'machine_user m2',
      'machine_user_key key-m1',
      'machine_user_key key-m2',
      'app_key key-a1',
      'user_grant auth0|1_p1',
      'user_grant m1_p1',
      'org_member org-1_auth0|1',
      'org org-1',
    ]);
    expect(errors.find(({ type }) => type === 'human_user')).toEqual({
      type: 'human_user',
      id: 'auth0|1',
      message: 'ID=V3-DKcYh Message=Errors.User.AlreadyExists',
    });
  });

  it('reports what it cannot keep and what is wrong, item by item, and brings in the rest', async () => {
    const orgs = [
      {
        humanUsers: [
          { userId: 'good', user: record() },
          { userId: 'bad', user: { ...record(), shoeSize: 42 } },
        ],
        actions: [{ actionId: 'a1' }],
        loginPolicy: { allowRegister: true, forceMfa: true },
        apiApps: [],
        projects: [{ projectId: 'p9', project: { name: '' } }, 7],
        userMetadata: [{ id: 'nobody', key: 'k', value: 'aGk=' }],
        orgId: home.orgId,
      },
    ];
    const { errors = [], success } = (await importData({ data_orgs: { orgs } })).json<Imported>();
    expect(errors.map(({ type, id }) => `${type} ${id}`)).toEqual([
      'action dataOrgs.orgs[0].actions[0]',
      'login_policy dataOrgs.orgs[0].loginPolicy.forceMfa',
      'human_user bad',
      'project dataOrgs.orgs[0].projects[0]',
      'project dataOrgs.orgs[0].projects[1]',
      'user_metadata nobody_k',
    ]);
    expect(success).toEqual({ orgs: [{ orgId: home.orgId, humanUserIds: ['good'] }] });
    expect(errors[0]?.message).toBe('ID=IMPORT-1nVal Message=Errors.NotSupported');
  });

  it('brings the provider of the instance that a login policy names for the domains, where there is one', async () => {
    const { id } = (
      await root.call('POST', '/admin/v1/idps', {
        kind: 'google',
        name: 'Google',
        clientId: 'abc',
        clientSecret: 'of-google',
      })
    ).json<{ id: string }>();
    expect((await root.call('POST', `/admin/v1/idps/${id}/_activate`)).statusCode).toBe(200);
    const policyOf = (idp: string) => ({ instanceIdps: [idp], homeRealmIdpId: idp });
    const orgs = [
      { orgId: 'with-realm', org: { name: 'With' }, loginPolicy: policyOf(id) },
      { orgId: 'without-realm', org: { name: 'Without' }, loginPolicy: policyOf('nobodys') },
    ];
    const { errors = [] } = (await importData({ dataOrgs: { orgs } })).json<Imported>();
    expect(errors).toEqual([
      expect.objectContaining({ type: 'login_policy', message: expect.stringContaining('POLICY-Hr6na') }),
    ]);
    const exported = await root.call('POST', '/admin/v1/export', { orgIds: ['with-realm'] });
    expect(exported.json()).toMatchObject({ orgs: [{ loginPolicy: policyOf(id) }] });
  });

  it('answers 504 with the id of the import once it has waited for long enough, and 202 when asked not to wait', async () => {
    const orgs = [{ orgId: home.orgId, humanUsers: [{ user: record() }] }];
    const ask = async (body: unknown, headers = {}) =>
      await root.call('POST', '/admin/v1/import', body, { headers });
    const late = await ask({ dataOrgs: { orgs }, timeout: '1ms' });
    expect([late.statusCode, late.json<{ code: number }>().code]).toEqual([504, 4]);
    const [, id = ''] = /goes on as ([\w-]{22})/.exec(late.body) ?? [];
    const accepted = await ask({ dataOrgs: { orgs } }, { prefer: 'respond-async' });
    expect([accepted.statusCode, accepted.headers['preference-applied']]).toEqual([202, 'respond-async']);
    const { importId } = accepted.json<{ importId: string }>();
    expect(accepted.headers.location).toBe(`/management/v1/imports/${importId}`);
    await engine.drain();
    const job = await root.call('GET', `imports/${id}`);
    expect(job.json()).toMatchObject({ state: 'done', instanceWide: true, counts: { created: 1 } });
  });

  it.each([
    [{ dataOrgsS3: { bucket: 'b' } }, 'dataOrgsS3 is not supported: send dataOrgs'],
    [{ dataOrgsLocal: { path: '/etc/passwd' } }, 'dataOrgsLocal is not supported: send dataOrgs'],
    [{ dataOrgsv1Gcs: {} }, 'dataOrgsv1Gcs is not supported: send dataOrgs'],
    [{ sourceUrl: 'http://169.254.169.254/' }, 'unknown field "sourceUrl"'],
    [{ timeout: '9m9', dataOrgs: { orgs: [] } }, 'timeout must be a duration such as 30m, 90s or 1h30m'],
    [{ timeout: '-1s', dataOrgs: { orgs: [] } }, 'timeout must be a duration such as 30m, 90s or 1h30m'],
    [{ dataOrgs: { orgs: [{ humanUsers: [] }] } }, 'dataOrgs.orgs[0].orgId is required'],
    [{ timeout: '1m' }, 'the file has no list dataOrgs.orgs'],
  ])('refuses %j', async (body, message) => {
    const response = await root.call('POST', '/admin/v1/import', body);
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      `${message} (IMPORT-2uR6x)`,
    ]);
  });

  it('is for those who may write to the instance', async () => {
    const owner = await aServiceUser(home, 'ORG_OWNER');
    const viewer = await aServiceUser(home, 'IAM_OWNER_VIEWER');
    const statusOf = async (path: string, { pat }: ServiceUser, body: unknown = {}) =>
      (await call(api, 'POST', `/admin/v1/${path}`, { pat, body })).statusCode;
    expect(await statusOf('import', owner)).toBe(403);
    expect(await statusOf('import', viewer)).toBe(403);
    expect(await statusOf('export', owner)).toBe(403);
    expect(await statusOf('export', viewer)).toBe(200);
    expect(await statusOf('export', viewer, { withPasswords: true })).toBe(403);
    expect(await statusOf('export', viewer, { withOtp: true })).toBe(403);
    for (const refused of [{ s3Output: { bucket: 'b' } }, { localOutput: { path: '/x' } }]) {
      const response = await root.call('POST', '/admin/v1/export', refused);
      expect(response.json<{ message: string }>().message).toMatch(/is not supported$/);
    }
  });
});
