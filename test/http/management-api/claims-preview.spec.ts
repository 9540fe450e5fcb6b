import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication, type TestClient } from '../../support/applications.js';
import { basic, obtainTokens, userinfo } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const SCOPE =
  'openid profile email phone urn:zitadel:iam:org:project:roles urn:zitadel:iam:user:metadata ' +
  'urn:zitadel:iam:user:resourceowner urn:zitadel:iam:org:projects:roles offline_access';
/** What belongs to one token, one sign-in or one moment. */
const OF_ONE_TOKEN = 'active jti exp iat nbf auth_time amr acr sid nonce at_hash c_hash'.split(' ');

const { api, world } = useWorld();
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const plain = given(() => anApplication(world));
const jwt = given(() => anApplication(world, { accessTokenType: 'jwt', accessTokenRoleAssertion: true }));
const talkative = given(() =>
  anApplication(world, {
    accessTokenType: 'jwt',
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    idTokenUserinfoAssertion: true,
  }),
);
const user = given(() =>
  aUser(world, {
    email: { address: 'ada@mail.test', verified: true },
    phone: { number: '+41791234567', verified: true },
  }),
);
beforeAll(async () => {
  await owner.call('POST', `projects/${world.projectId}/roles`, { roleKey: 'keeper', displayName: 'Keeper' });
  const roles = { projectId: world.projectId, roleKeys: ['keeper'] };
  await owner.call('POST', `users/${user.userId}/grants`, roles);
  const value = Buffer.from('beam').toString('base64');
  await owner.call('PUT', `users/${user.userId}/metadata/lamp`, { value });
});

interface Claim {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
  readonly scopes: readonly string[];
  readonly switches: readonly string[];
}
type Place = 'idToken' | 'accessToken' | 'userinfo' | 'introspection';
type Preview = { readonly scope: string } & Readonly<Partial<Record<Place, readonly Claim[]>>>;

async function ask(
  by: ServiceUser,
  { id }: TestClient,
  body: object,
  at: World = world,
): Promise<{ readonly statusCode: number; readonly body: string; json<T>(): T }> {
  return await by.call('POST', `projects/${at.projectId}/apps/${id}/_preview`, body);
}

async function preview(client: TestClient, scope = SCOPE): Promise<Preview> {
  const response = await ask(owner, client, { userId: user.userId, scope });
  expect(response.statusCode).toBe(200);
  return response.json<Preview>();
}

const asClaims = (claims: readonly Claim[] = []): Record<string, unknown> =>
  Object.fromEntries(claims.map(({ name, value }) => [name, value]));

const lasting = (claims: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !OF_ONE_TOKEN.includes(name)));

const claim = (claims: readonly Claim[] | undefined, name: string): Claim | undefined =>
  claims?.find((one) => one.name === name);

describe('a preview of claims', () => {
  it.each([
    ['opaque tokens', () => plain],
    ['JWTs with roles', () => jwt],
    ['every switch on', () => talkative],
  ])('says what real tokens say: %s', async (_name, given) => {
    const client = given();
    const shown = await preview(client);
    const tokens = await obtainTokens(api, client, user, { scope: SCOPE });
    expect(asClaims(shown.idToken)).toEqual(lasting(decodeJwt(tokens.id_token)));
    if (client === plain) expect(shown.accessToken).toBeUndefined();
    else expect(asClaims(shown.accessToken)).toEqual(lasting(decodeJwt(tokens.access_token)));
    const info = await userinfo(api, tokens.access_token);
    expect(Object.keys(info.json<object>())).toEqual(
      expect.arrayContaining(['urn:zitadel:iam:org:project:roles', 'urn:zitadel:iam:user:metadata']),
    );
    expect(asClaims(shown.userinfo)).toEqual(lasting(info.json()));
    const told = await postForm(api, '/oauth/v2/introspect', { token: tokens.access_token }, basic(client));
    expect(asClaims(shown.introspection)).toEqual(lasting(told.json()));
  });

  it('says why each claim is there', async () => {
    const { idToken, userinfo: info } = await preview(
      talkative,
      'openid email urn:zitadel:iam:user:metadata',
    );
    expect(claim(idToken, 'email')).toEqual({
      name: 'email',
      value: 'ada@mail.test',
      source: 'user',
      scopes: ['email'],
      switches: ['idTokenUserinfoAssertion'],
    });
    expect(claim(info, 'email')).toMatchObject({ scopes: ['email'], switches: [] });
    expect(claim(info, 'urn:zitadel:iam:user:metadata')).toMatchObject({
      source: 'metadata',
      scopes: ['urn:zitadel:iam:user:metadata'],
    });
    expect(claim(idToken, 'iss')).toMatchObject({ source: 'token', scopes: [], switches: [] });
    const { accessToken } = await preview(jwt, 'openid urn:zitadel:iam:org:projects:roles');
    expect(claim(accessToken, 'urn:zitadel:iam:org:project:roles')).toMatchObject({
      source: 'roles',
      scopes: ['urn:zitadel:iam:org:projects:roles'],
      switches: ['accessTokenRoleAssertion'],
    });
  });

  it('issues nothing: no token, no signature, no identifier of one, no nonce', async () => {
    const { body } = await ask(owner, jwt, { userId: user.userId, scope: SCOPE });
    expect(body).not.toMatch(/eyJ|"(?:jti|nonce|at_hash|sid|exp)"/);
  });

  it('is in the audit log', async () => {
    await preview(plain);
    const { rows } = await api.sql.query(
      `SELECT actor_id, data FROM events WHERE type = 'application.claims.previewed' AND aggregate_id = $1`,
      [plain.id],
    );
    expect(rows[0]).toMatchObject({ actor_id: owner.userId, data: { userId: user.userId } });
  });

  it('is refused for scopes that the application could not ask for', async () => {
    for (const scope of ['openid "', 'openid urn:zitadel:iam:org:project:id:nobodys:aud'])
      expect((await ask(owner, plain, { userId: user.userId, scope })).statusCode).toBe(400);
  });
});

describe('who may look', () => {
  it.each([
    ['ORG_OWNER', 200],
    ['ORG_OWNER_VIEWER', 200],
    ['IAM_OWNER_VIEWER', 200],
    // reads users, but no applications
    ['ORG_USER_MANAGER', 403],
    ['ORG_END_USER_IMPERSONATOR', 403],
  ] as const)('%s: %d', async (role, status) => {
    const caller = await aServiceUser(world, role);
    expect((await ask(caller, plain, { userId: user.userId })).statusCode).toBe(status);
  });

  it('shows a user of another organization to nobody but who may read both, once the project is granted', async () => {
    const stranger = await aUser(other);
    const both = await aServiceUser(world, 'IAM_OWNER');
    const asked = { userId: stranger.userId, scope: 'openid profile' };
    const nobody = await ask(owner, plain, { userId: 'nobody-of-this-id' });
    expect(nobody.statusCode).toBe(404);
    for (const caller of [owner, both]) {
      const refused = await ask(caller, plain, asked);
      expect({ status: refused.statusCode, body: refused.body }).toEqual({ status: 404, body: nobody.body });
    }
    const grant = { grantedOrgId: other.orgId, roleKeys: [] };
    expect((await owner.call('POST', `projects/${world.projectId}/grants`, grant)).statusCode).toBe(200);
    expect((await ask(owner, plain, asked)).body).toBe(nobody.body);
    expect((await ask(both, plain, asked)).statusCode).toBe(200);
  });

  it('does not show an application of another organization', async () => {
    const foreign = await anApplication(other);
    expect((await ask(owner, foreign, { userId: user.userId })).statusCode).toBe(404);
    expect((await ask(owner, foreign, { userId: user.userId }, other)).statusCode).toBe(404);
  });
});
