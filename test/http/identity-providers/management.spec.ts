import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));

const SECRET = 'a client secret that nobody reads';
const OIDC = {
  kind: 'oidc',
  name: 'Directory',
  clientId: 'identity',
  clientSecret: SECRET,
  issuer: 'https://sso.example.com',
};
const OAUTH = {
  kind: 'oauth2',
  name: 'Forge',
  clientId: 'identity',
  clientSecret: SECRET,
  authorizationEndpoint: 'https://forge.example.com/authorize',
  tokenEndpoint: 'https://forge.example.com/token',
  userinfoEndpoint: 'https://forge.example.com/user',
  subjectClaim: 'id',
};
const APPLE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
-----END PRIVATE KEY-----
`;

interface Added {
  readonly id: string;
  readonly callbackUrl: string;
}

async function add(body: object, by = owner): Promise<Added> {
  const response = await by.call('POST', 'idps', body);
  expect(response.statusCode).toBe(200);
  return response.json<Added>();
}

describe('identity providers of an organization', () => {
  it('is added inactive, is read without its secret, and says where its answers come back to', async () => {
    const { id, callbackUrl } = await add({ ...OIDC, mapping: { fields: { email: 'mail' } } });
    expect(callbackUrl).toBe(`https://id.test/login/idps/${id}/callback`);
    const found = await viewer.call('GET', `idps/${id}`);
    expect(found.body).not.toContain(SECRET);
    expect(found.json()).toMatchObject({
      idp: {
        id,
        callbackUrl,
        state: 'STATE_INACTIVE',
        kind: 'oidc',
        name: 'Directory',
        hasSecret: true,
        issuer: OIDC.issuer,
        scopes: ['openid', 'profile', 'email'],
        clientAuthentication: 'client_secret_basic',
        mapping: { fields: { email: 'mail' }, roles: [], metadata: [] },
        allowCreation: false,
        allowLinking: true,
        updateOnSignIn: false,
        homeRealm: false,
      },
    });
    const rows = await api.sql.query<{ secret_sealed: Buffer }>(
      'SELECT secret_sealed FROM identity_providers WHERE id = $1',
      [id],
    );
    expect(rows.rows[0]?.secret_sealed.includes(SECRET)).toBe(false);
  });

  it('is listed, activated, deactivated and removed, each once', async () => {
    const { id } = await add({ ...OIDC, name: 'Listed once' });
    const queries = [{ nameQuery: { name: 'Listed once' } }];
    const listed = await viewer.call('POST', 'idps/_search', { queries });
    expect(listed.json<{ result: Added[] }>().result.map((one) => one.id)).toEqual([id]);
    expect((await owner.call('POST', `idps/${id}/_activate`)).statusCode).toBe(200);
    expect((await owner.call('POST', `idps/${id}/_activate`)).json()).toEqual(
      errorBody(9, 'Identity provider is active already', 'IDP-St5wz'),
    );
    expect((await owner.call('POST', `idps/${id}/_deactivate`)).statusCode).toBe(200);
    expect((await owner.call('DELETE', `idps/${id}`)).statusCode).toBe(200);
    expect((await owner.call('GET', `idps/${id}`)).json()).toEqual(
      errorBody(5, 'Identity provider could not be found', 'IDP-Nf3kq'),
    );
    const events = await api.sql.query<{ type: string }>(
      'SELECT type FROM events WHERE aggregate_id = $1 ORDER BY created_at, sequence',
      [id],
    );
    expect(events.rows.map(({ type }) => type)).toEqual([
      'identity_provider.added',
      'identity_provider.activated',
      'identity_provider.deactivated',
      'identity_provider.removed',
    ]);
  });

  it.each([
    ['google', { kind: 'google' }],
    ['github', { kind: 'github' }],
    ['linkedin', { kind: 'linkedin' }],
    ['gitlab', { kind: 'gitlab', issuer: 'https://git.example.com' }],
    ['microsoft', { kind: 'microsoft', tenant: '72F988BF-86F1-41AF-91AB-2D7CD011DB47' }],
    ['apple', { kind: 'apple', teamId: 'ABCDE12345', keyId: 'KLMNO67890', clientSecret: APPLE_KEY }],
    ['oauth2', OAUTH],
  ])('takes %s', async (kind, settings) => {
    const { id } = await add({ name: kind, clientId: 'c', clientSecret: SECRET, ...settings });
    const { idp } = (await owner.call('GET', `idps/${id}`)).json<{ idp: { kind: string } }>();
    expect(idp.kind).toBe(kind);
  });

  it.each([
    ['a field of another kind', { ...OIDC, tenant: 'common' }, 'tenant is not a field of oidc'],
    [
      'a directory by its domain, which is not in its issuer',
      { kind: 'microsoft', name: 'M', clientId: 'c', clientSecret: SECRET, tenant: 'acme.example.com' },
      'tenant must be the id of a directory, common, organizations or consumers',
    ],
    ['no issuer', { ...OIDC, issuer: undefined }, 'issuer is required'],
    ['no secret', { ...OIDC, clientSecret: undefined }, 'clientSecret is required'],
    ['scopes without openid', { ...OIDC, scopes: ['email'] }, 'scopes must have openid'],
    [
      'a key that is none',
      {
        kind: 'apple',
        name: 'A',
        clientId: 'c',
        teamId: 'ABCDE12345',
        keyId: 'KLMNO67890',
        clientSecret: 'x',
      },
      'clientSecret must be the key file of Apple: -----BEGIN PRIVATE KEY----- and what follows',
    ],
    [
      'an address with credentials',
      { ...OIDC, issuer: 'https://a:b@sso.example.com' },
      'issuer must not contain credentials',
    ],
    [
      'metadata services',
      { ...OIDC, issuer: 'https://169.254.169.254' },
      'issuer must not be an internal address',
    ],
    [
      'an internal token endpoint',
      { ...OAUTH, tokenEndpoint: 'https://[fd00:ec2::254]/token' },
      'tokenEndpoint must not be an internal address',
    ],
  ])('refuses %s', async (_case, body, message) => {
    const response = await owner.call('POST', 'idps', body);
    expect(response.json()).toMatchObject({ code: 3, message });
  });

  it('keeps the secret where nothing of its way changes, and asks for it again where it would go elsewhere', async () => {
    const { id } = await add(OAUTH);
    const { clientSecret: _secret, ...settings } = OAUTH;
    expect((await owner.call('PUT', `idps/${id}`, { ...settings, name: 'Renamed' })).statusCode).toBe(200);
    const moved = { ...settings, tokenEndpoint: 'https://elsewhere.example.com/token' };
    expect((await owner.call('PUT', `idps/${id}`, moved)).json()).toMatchObject({
      code: 3,
      message: 'clientSecret must be given again, because it would go elsewhere',
    });
    expect((await owner.call('PUT', `idps/${id}`, { ...moved, clientSecret: 'another' })).statusCode).toBe(
      200,
    );
  });

  it('keeps the key of Apple where another setting changes, and asks for it again for another team or key', async () => {
    const apple = { kind: 'apple', name: 'Apple', clientId: 'c', teamId: 'ABCDE12345', keyId: 'KLMNO67890' };
    const { id } = await add({ ...apple, clientSecret: APPLE_KEY });
    const changed = { ...apple, name: 'Renamed', scopes: ['openid', 'email'] };
    const kept = await owner.call('PUT', `idps/${id}`, changed);
    expect(kept.statusCode, kept.body).toBe(200);
    expect((await owner.call('PUT', `idps/${id}`, { ...apple, keyId: 'ANOTHER123' })).json()).toMatchObject({
      code: 3,
      message: 'clientSecret must be given again, because it would go elsewhere',
    });
  });

  it('does not become another provider, whose subjects are other people', async () => {
    const { id } = await add(OIDC);
    const other = { ...OIDC, issuer: 'https://evil.example.com' };
    expect((await owner.call('PUT', `idps/${id}`, other)).json()).toMatchObject({ code: 3 });
  });

  it("gives no roles of another organization's project", async () => {
    const { projectId } = await anOrganization(api);
    const mapping = { roles: [{ claim: 'groups', value: 'admins', projectId, roleKey: 'admin' }] };
    expect((await owner.call('POST', 'idps', { ...OIDC, mapping })).statusCode).toBe(404);
    mapping.roles[0] = { claim: 'groups', value: 'admins', projectId: world.projectId, roleKey: 'admin' };
    expect((await owner.call('POST', 'idps', { ...OIDC, mapping })).statusCode).toBe(200);
  });

  it('is one of fifty at most', async () => {
    const elsewhere = await anOrganization(api);
    const theirs = await aServiceUser(elsewhere, 'ORG_OWNER');
    await api.sql.query(
      `INSERT INTO identity_providers (org_id, name, kind, settings) SELECT $1, 'One of many', 'google', '{}' FROM generate_series(1, 49)`,
      [elsewhere.orgId],
    );
    await add(OIDC, theirs);
    expect((await theirs.call('POST', 'idps', OIDC)).json()).toEqual(
      errorBody(9, 'An organization can have 50 identity providers: remove one first', 'LIMITS-6Mo2w'),
    );
  });

  it('is the one for the domains, or another is', async () => {
    const first = await add({ ...OIDC, homeRealm: true });
    expect((await owner.call('POST', 'idps', { ...OIDC, homeRealm: true })).json()).toEqual(
      errorBody(6, 'Another provider is the one for the domains already', 'IDP-Hr2ds'),
    );
    await owner.call('DELETE', `idps/${first.id}`);
  });

  it('of the instance is shown to organizations by its button, once it is active', async () => {
    const { id } = (await root.call('POST', '/admin/v1/idps', OIDC)).json<Added>();
    const offered = async () => {
      const answered = await viewer.call('GET', 'idps/_instance');
      expect(answered.statusCode, answered.body).toBe(200);
      return answered.json<{ result: readonly { id: string }[] }>().result.find((one) => one.id === id);
    };
    expect(await offered()).toBeUndefined();
    await root.call('POST', `/admin/v1/idps/${id}/_activate`);
    expect(await offered()).toEqual({ id, name: OIDC.name, kind: 'oidc' });
    expect((await (await aServiceUser(world)).call('GET', 'idps/_instance')).statusCode).toBe(403);
  });

  it("is nobody else's: not another organization's, not the instance's", async () => {
    const { id } = await add(OIDC);
    const other = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    for (const [caller, path] of [
      [other, `idps/${id}`],
      [root, `/admin/v1/idps/${id}`],
    ] as const) {
      expect((await caller.call('GET', path)).statusCode).toBe(404);
      expect((await caller.call('DELETE', path)).statusCode).toBe(404);
    }
    expect((await viewer.call('DELETE', `idps/${id}`)).statusCode).toBe(403);
    expect((await owner.call('POST', '/admin/v1/idps', OIDC)).statusCode).toBe(403);
  });
});

describe('identity providers of the instance', () => {
  it('is kept by administrators of the instance, without the domains and roles of an organization', async () => {
    const { id } = (await root.call('POST', '/admin/v1/idps', OIDC)).json<Added>();
    expect((await root.call('GET', `/admin/v1/idps/${id}`)).statusCode).toBe(200);
    expect((await owner.call('GET', `idps/${id}`)).statusCode).toBe(404);
    expect((await root.call('POST', '/admin/v1/idps', { ...OIDC, homeRealm: true })).json()).toMatchObject({
      message: 'homeRealm is for providers of an organization',
    });
  });

  it('is used where the login policy names it', async () => {
    const { id } = (await root.call('POST', '/admin/v1/idps', OIDC)).json<Added>();
    const policy = { allowExternalIdps: true, instanceIdps: [id, id] };
    expect((await owner.call('PUT', 'policies/login', policy)).statusCode).toBe(200);
    expect((await owner.call('GET', 'policies/login')).json()).toMatchObject({
      policy: { allowExternalIdps: true, instanceIdps: [id] },
    });
  });
});
