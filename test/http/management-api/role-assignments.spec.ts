import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  obtainTokens,
  redirected,
  requestToken,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { errorBody, postForm } from '../../support/calls.js';
import { eventTypesOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const ROLES = 'urn:zitadel:iam:org:project:roles';

let user: TestUser;

const { api, world: home } = useWorld();
const replica = useReplica(api);
const world = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(async () => {
  for (const roleKey of ['admin', 'reader', 'constructor']) {
    await owner.call('POST', `projects/${world.projectId}/roles`, { roleKey, displayName: roleKey });
  }
});

beforeEach(async () => {
  user = await aUser(world);
});

const details = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

async function grant(roleKeys: readonly string[], projectId: string = world.projectId): Promise<string> {
  const response = await owner.call('POST', `users/${user.userId}/grants`, { projectId, roleKeys });
  expect(response.statusCode).toBe(200);
  return `users/${user.userId}/grants/${response.json<{ userGrantId: string }>().userGrantId}`;
}

function payload(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

describe('grants of a user', () => {
  it('are given, listed, changed, put to rest and taken away', async () => {
    const path = await grant(['admin', 'reader', 'admin']);
    const shown = {
      id: path.split('/').at(-1),
      userId: user.userId,
      projectId: world.projectId,
      projectName: 'Project',
      roleKeys: ['admin', 'reader'],
      state: 'USER_GRANT_STATE_ACTIVE',
    };
    expect((await owner.call('POST', `users/${user.userId}/grants/_search`)).json()).toMatchObject({
      details: { totalResult: '1' },
      result: [shown],
    });
    expect((await owner.call('PUT', path, { roleKeys: ['reader'] })).json()).toEqual({
      details: details('2'),
    });
    expect((await owner.call('POST', `${path}/_deactivate`)).json()).toEqual({ details: details('3') });
    expect((await owner.call('POST', `${path}/_deactivate`)).statusCode).toBe(400);
    expect((await owner.call('GET', path)).json()).toEqual({
      userGrant: {
        ...shown,
        details: { ...details('3'), creationDate: expect.any(String) as string },
        roleKeys: ['reader'],
        state: 'USER_GRANT_STATE_INACTIVE',
      },
    });
    expect((await owner.call('POST', `${path}/_reactivate`)).statusCode).toBe(200);
    expect((await owner.call('POST', `${path}/_reactivate`)).statusCode).toBe(400);
    expect((await owner.call('DELETE', path)).json()).toEqual({ details: details('5') });
    expect((await owner.call('GET', path)).statusCode).toBe(404);
    expect(await eventTypesOf(api, shown.id)).toEqual(
      ['added', 'changed', 'deactivated', 'reactivated', 'removed'].map((word) => `user.grant.${word}`),
    );
  });

  it('are one for a project, of roles that it has, also when two are given at once', async () => {
    const body = { projectId: world.projectId, roleKeys: ['admin'] };
    const both = await Promise.all(
      [api, replica].map((at) => owner.call('POST', `users/${user.userId}/grants`, body, { on: at })),
    );
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    user = await aUser(world);
    const unknown = await owner.call('POST', `users/${user.userId}/grants`, {
      ...body,
      roleKeys: ['nobody'],
    });
    expect(unknown.statusCode).toBe(400);
    expect(unknown.json()).toEqual({
      code: 3,
      message: 'roleKeys names a role that the project does not have',
    });
    expect((await owner.call('POST', `users/${user.userId}/grants/_search`)).json()).toMatchObject({
      result: [],
    });
  });

  it('cross no organization, by whichever id', async () => {
    const stranger = await aUser(home);
    const own = { projectId: world.projectId, roleKeys: [] };
    const noUser = errorBody(5, 'User could not be found', 'QUERY-Dfbg2');
    expect((await owner.call('POST', `users/${stranger.userId}/grants`, own)).json()).toEqual(noUser);
    expect((await owner.call('POST', `users/${stranger.userId}/grants/_search`)).json()).toEqual(noUser);
    const deleted = await aUser(world);
    expect((await owner.call('DELETE', `users/${deleted.userId}`)).statusCode).toBe(200);
    expect((await owner.call('POST', `users/${deleted.userId}/grants`, own)).json()).toEqual(noUser);
    const foreign = await owner.call('POST', `users/${user.userId}/grants`, { projectId: home.projectId });
    expect(foreign.statusCode).toBe(404);
    const path = await grant(['admin']);
    const root = await aServiceUser(home, 'IAM_OWNER');
    for (const [method, tail] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/_deactivate'],
      ['POST', '/_reactivate'],
    ] as const) {
      const body = method === 'PUT' ? { roleKeys: [] } : undefined;
      const elsewhere = await root.call(method, `${path}${tail}`, body);
      expect(elsewhere.json()).toEqual(errorBody(5, 'User grant could not be found', 'COMMAND-2M9fs'));
    }
    expect((await owner.call('GET', path)).statusCode).toBe(200);
  });
});

describe('role grants of a project', () => {
  interface Listed {
    readonly details: Readonly<Record<string, unknown>>;
    readonly result?: readonly Readonly<Record<string, unknown>>[];
    readonly nextCursor?: string;
  }
  const search = async (projectId: string, body: object = {}, caller = owner) => {
    const response = await caller.call('POST', `projects/${projectId}/user_grants/_search`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<Listed>();
  };
  const usersOf = ({ result = [] }: Listed) => result.map(({ userId }) => userId);
  const aProject = async (name: string, caller = owner) => {
    const { id } = (await caller.call('POST', 'projects', { name })).json<{ id: string }>();
    for (const roleKey of ['admin', 'reader'])
      await caller.call('POST', `projects/${id}/roles`, { roleKey, displayName: roleKey });
    return id;
  };
  const give = async (userId: string, body: object, caller = owner) => {
    const response = await caller.call('POST', `users/${userId}/grants`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ userGrantId: string }>().userGrantId;
  };
  const noProject = errorBody(5, 'Project could not be found', 'COMMAND-EbFMN');

  it('are listed with who holds them, the newest first, a page after the other', async () => {
    const projectId = await aProject(`Held ${user.userId}`);
    const robot = await aServiceUser(world);
    const first = await give(user.userId, { projectId, roleKeys: ['reader', 'admin'] });
    await give(robot.userId, { projectId });
    await give(user.userId, { projectId: await aProject(`Other ${user.userId}`), roleKeys: ['admin'] });
    const page = await search(projectId, { query: { limit: 1 } });
    expect(page).toMatchObject({ details: { totalResult: '2' } });
    expect(page.result).toMatchObject([{ userId: robot.userId, userType: 'TYPE_MACHINE' }]);
    const next = await search(projectId, { query: { limit: 1, cursor: page.nextCursor } });
    const shown = (await owner.call('GET', `users/${user.userId}`)).json<{
      user: { preferredLoginName: string; human: { profile: { displayName: string } } };
    }>().user;
    expect(next).toEqual({
      details: expect.objectContaining({ totalResult: '2' }) as unknown,
      result: [
        {
          id: first,
          details: { ...details('1'), creationDate: expect.any(String) as string },
          userId: user.userId,
          projectId,
          projectName: `Held ${user.userId}`,
          roleKeys: ['admin', 'reader'],
          state: 'USER_GRANT_STATE_ACTIVE',
          preferredLoginName: shown.preferredLoginName,
          displayName: shown.human.profile.displayName,
          userType: 'TYPE_HUMAN',
        },
      ],
    });
  });

  it('are found by role, user, name and state', async () => {
    const projectId = await aProject(`Found ${user.userId}`);
    const profile = { firstName: 'Quokka', lastName: 'Keeper', displayName: 'Quokka Keeper' };
    const another = await aUser(world, { profile });
    const id = await give(user.userId, { projectId, roleKeys: ['admin', 'reader'] });
    await give(another.userId, { projectId, roleKeys: ['reader'] });
    const found = async (...queries: object[]) => usersOf(await search(projectId, { queries }));
    expect(await found({ roleKeyQuery: { roleKey: 'admin' } })).toEqual([user.userId]);
    expect(await found({ roleKeyQuery: { roleKey: 'reader' } })).toEqual([another.userId, user.userId]);
    expect(await found({ roleKeyQuery: { roleKey: 'nobodys' } })).toEqual([]);
    expect(await found({ userIdQuery: { userId: another.userId } })).toEqual([another.userId]);
    const nameQuery = { name: 'quokka', method: 'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE' };
    expect(await found({ nameQuery })).toEqual([another.userId]);
    expect(await found({ nameQuery }, { roleKeyQuery: { roleKey: 'admin' } })).toEqual([]);
    await owner.call('POST', `users/${user.userId}/grants/${id}/_deactivate`);
    expect(await found({ stateQuery: { state: 'USER_GRANT_STATE_INACTIVE' } })).toEqual([user.userId]);
    const refused = await owner.call('POST', `projects/${projectId}/user_grants/_search`, {
      queries: [{ roleKeyQuery: { roleKey: 'with space' } }],
    });
    expect(refused.statusCode).toBe(400);
    await owner.call('DELETE', `users/${another.userId}`);
    expect(await found()).toEqual([user.userId]);
  });

  it('are those of the own organization, on both sides of a project grant', async () => {
    const projectId = await aProject(`Shared ${user.userId}`);
    const elsewhere = await anOrganization(api);
    const granted = await aServiceUser(elsewhere, 'ORG_OWNER');
    const theirs = await aUser(elsewhere);
    const path = `projects/${projectId}/user_grants/_search`;
    expect((await granted.call('POST', path)).json()).toEqual(noProject);
    const made = await owner.call('POST', `projects/${projectId}/grants`, {
      grantedOrgId: elsewhere.orgId,
      roleKeys: ['reader'],
    });
    const { grantId } = made.json<{ grantId: string }>();
    await give(user.userId, { projectId, roleKeys: ['reader'] });
    await give(theirs.userId, { projectId, projectGrantId: grantId, roleKeys: ['reader'] }, granted);
    for (const queries of [[], [{ roleKeyQuery: { roleKey: 'reader' } }]]) {
      expect(usersOf(await search(projectId, { queries }))).toEqual([user.userId]);
      const here = await search(projectId, { queries }, granted);
      expect(here.details).toMatchObject({ totalResult: '1' });
      expect(here.result).toMatchObject([
        { userId: theirs.userId, projectGrantId: grantId, details: { resourceOwner: elsewhere.orgId } },
      ]);
    }
    const foreign = { queries: [{ userIdQuery: { userId: theirs.userId } }] };
    expect(usersOf(await search(projectId, foreign))).toEqual([]);
    // by the organization that the header names, and of no other
    const root = await aServiceUser(home, 'IAM_OWNER');
    const headers = { 'x-zitadel-orgid': elsewhere.orgId };
    const asked = await root.call('POST', path, {}, { headers });
    expect(usersOf(asked.json<Listed>())).toEqual([theirs.userId]);
    expect((await root.call('POST', path)).json()).toEqual(noProject);
    await owner.call('POST', `projects/${projectId}/grants/${grantId}/_deactivate`);
    expect(usersOf(await search(projectId, {}, granted))).toEqual([theirs.userId]);
    await owner.call('DELETE', `projects/${projectId}/grants/${grantId}`);
    expect((await granted.call('POST', path)).json()).toEqual(noProject);
  });

  it('are read by whoever may read those of a user', async () => {
    const path = `projects/${world.projectId}/user_grants/_search`;
    for (const [role, status] of [
      ['ORG_OWNER_VIEWER', 200],
      ['ORG_USER_MANAGER', 200],
      [undefined, 403],
    ] as const) {
      const caller = await aServiceUser(world, role);
      expect([role, (await caller.call('POST', path)).statusCode]).toEqual([role, status]);
    }
  });
});

describe('role claims', () => {
  let client: TestClient;
  const claim = (...keys: string[]) =>
    Object.fromEntries(keys.map((key) => [key, { [world.orgId]: world.domain }]));
  const ofProject = (id: string) => `urn:zitadel:iam:org:project:${id}:roles`;

  beforeEach(async () => {
    client = await anApplication(world);
  });

  const claimsWith = async (scope: string) => {
    const { access_token: token } = await obtainTokens(api, client, user, { scope: `openid ${scope}` });
    return (await userinfo(api, token)).json<Record<string, unknown>>();
  };

  it.each(['zitadel', 'service'])('are given for the roles asked for by key, as urn:%s', async (family) => {
    await grant(['admin', 'reader', 'constructor']);
    const role = (key: string) => `urn:${family}:iam:org:project:role:${key}`;
    const given = await claimsWith(`${role('admin')} ${role('constructor')} ${role('stranger')}`);
    expect(given).toEqual({
      sub: user.userId,
      [ROLES]: claim('admin', 'constructor'),
      [ofProject(world.projectId)]: claim('admin', 'constructor'),
    });
    expect(await claimsWith('')).toEqual({ sub: user.userId });
  });

  it('are given for every project of the audience', async () => {
    await grant(['admin']);
    const { id } = (await owner.call('POST', 'projects', { name: `Second ${user.userId}` })).json<{
      id: string;
    }>();
    await owner.call('POST', `projects/${id}/roles`, { roleKey: 'guest', displayName: 'Guest' });
    await grant(['guest'], id);
    const scope = 'urn:zitadel:iam:org:projects:roles';
    expect(await claimsWith(scope)).toEqual({
      sub: user.userId,
      [ROLES]: claim('admin'),
      [ofProject(world.projectId)]: claim('admin'),
    });
    expect(await claimsWith(`${scope} urn:zitadel:iam:org:project:id:${id}:aud`)).toEqual({
      sub: user.userId,
      [ROLES]: claim('admin'),
      [ofProject(world.projectId)]: claim('admin'),
      [ofProject(id)]: claim('guest'),
    });
    const limited = `${scope} urn:zitadel:iam:org:roles:id:${home.orgId}`;
    expect(await claimsWith(limited)).toEqual({ sub: user.userId });
    expect(await claimsWith(`${limited} urn:zitadel:iam:org:roles:id:${world.orgId}`)).toHaveProperty(ROLES);
  });

  it('are given unasked where the project says so', async () => {
    await grant(['admin']);
    const project = (projectRoleAssertion: boolean) =>
      owner.call('PUT', `projects/${world.projectId}`, { name: 'Project', projectRoleAssertion });
    await project(true);
    expect(await claimsWith('')).toMatchObject({ [ROLES]: claim('admin') });
    await project(false);
    expect(await claimsWith('')).not.toHaveProperty(ROLES);
  });

  it('stand in ID tokens and JWT access tokens only where the application wants them', async () => {
    await grant(['admin']);
    const scope = 'openid urn:zitadel:iam:org:project:role:admin';
    for (const wanted of [true, false]) {
      const jwt = await anApplication(world, {
        accessTokenType: 'jwt',
        accessTokenRoleAssertion: wanted,
        idTokenRoleAssertion: wanted,
      });
      const tokens = await obtainTokens(api, jwt, user, { scope });
      for (const token of [tokens.access_token, tokens.id_token]) {
        expect(payload(token)[ROLES]).toEqual(wanted ? claim('admin') : undefined);
      }
    }
  });

  it('are told at introspection, of the asking project alone', async () => {
    await grant(['admin']);
    const { id } = (await owner.call('POST', 'projects', { name: `Asking ${user.userId}` })).json<{
      id: string;
    }>();
    await owner.call('POST', `projects/${id}/roles`, { roleKey: 'guest', displayName: 'Guest' });
    await grant(['guest'], id);
    const scope = `openid urn:zitadel:iam:org:projects:roles urn:zitadel:iam:org:project:id:${id}:aud`;
    const { access_token: token } = await obtainTokens(api, client, user, { scope });
    const made = await owner.call('POST', `projects/${id}/apps/api`, { name: 'Asking' });
    const { appId, ...keys } = made.json<{ appId: string; clientId: string; clientSecret: string }>();
    const response = await postForm(api, '/oauth/v2/introspect', { token }, basic({ id: appId, ...keys }));
    const answer = response.json<Record<string, unknown>>();
    expect(answer).toMatchObject({ active: true, [ROLES]: claim('guest'), [ofProject(id)]: claim('guest') });
    expect(answer).not.toHaveProperty([ofProject(world.projectId)]);
  });

  it('go into the JWT of a service user that asks for them', async () => {
    const service = await aServiceUser(world);
    user = { ...user, userId: service.userId };
    await grant(['reader']);
    await api.sql.query(`UPDATE service_users SET access_token_type = 'jwt' WHERE user_id = $1`, [
      service.userId,
    ]);
    const secret = await owner.call('PUT', `users/${service.userId}/secret`, {});
    const { clientId, clientSecret } = secret.json<{ clientId: string; clientSecret: string }>();
    const scope = `openid urn:zitadel:iam:org:projects:roles urn:zitadel:iam:org:project:id:${world.projectId}:aud`;
    const tokenOf = async (asked: string) => {
      const form = { grant_type: 'client_credentials', scope: asked };
      const response = await requestToken(api, form, basic({ id: '', clientId, clientSecret }));
      return payload(response.json<{ access_token: string }>().access_token);
    };
    expect(await tokenOf(scope)).toMatchObject({ [ofProject(world.projectId)]: claim('reader') });
    expect(await tokenOf('openid')).not.toHaveProperty([ofProject(world.projectId)]);
  });

  it.each(['the role from the user', 'the grant', 'the role from the project', 'the grant for a while'])(
    'go at once when somebody takes away %s',
    async (what) => {
      const roleKey = `temporary-${user.userId}`;
      await owner.call('POST', `projects/${world.projectId}/roles`, { roleKey, displayName: 'T' });
      const path = await grant([roleKey]);
      const scope = 'openid urn:zitadel:iam:org:projects:roles';
      const { access_token: token } = await obtainTokens(api, client, user, { scope });
      const look = async () => (await userinfo(replica, token)).json<Record<string, unknown>>();
      expect((await look())[ROLES]).toEqual(claim(roleKey));
      if (what === 'the role from the user') await owner.call('PUT', path, { roleKeys: [] });
      else if (what === 'the grant') await owner.call('DELETE', path);
      else if (what === 'the grant for a while') await owner.call('POST', `${path}/_deactivate`);
      else await owner.call('DELETE', `projects/${world.projectId}/roles/${roleKey}`);
      expect(await look()).toEqual({ sub: user.userId });
    },
  );
});

describe('the metadata scope', () => {
  it('tells what is kept about the user, and only whoever asks for it', async () => {
    const client = await anApplication(world);
    const path = `users/${user.userId}/metadata`;
    const values = {
      plan: Buffer.from('gold'),
      __proto__key: Buffer.from([0xfb, 0xff, 0xfe]),
      long: Buffer.alloc(300, '?'),
    };
    for (const [key, value] of Object.entries(values)) {
      await owner.call('PUT', `${path}/${key}`, { value: value.toString('base64') });
    }
    const scope = 'openid urn:service:iam:user:metadata';
    const { access_token: token, id_token: idToken } = await obtainTokens(api, client, user, { scope });
    const expected = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, value.toString('base64url')]),
    );
    const claimName = 'urn:zitadel:iam:user:metadata';
    expect((await userinfo(replica, token)).json()).toEqual({ sub: user.userId, [claimName]: expected });
    expect(payload(idToken)).not.toHaveProperty(claimName);
    const introspected = await postForm(api, '/oauth/v2/introspect', { token }, basic(client));
    expect(introspected.json()).toMatchObject({ active: true, [claimName]: expected });
    await owner.call('DELETE', `${path}/plan`);
    const { plan: _plan, ...others } = expected;
    expect((await userinfo(replica, token)).json()).toEqual({ sub: user.userId, [claimName]: others });
    const { access_token: without } = await obtainTokens(api, client, user, { scope: 'openid' });
    expect((await userinfo(api, without)).json()).toEqual({ sub: user.userId });
  });
});

describe('organization scopes', () => {
  const byId = (world: World) => `urn:zitadel:iam:org:id:${world.orgId}`;
  const byDomain = (domain: string) => `urn:service:iam:org:domain:primary:${domain}`;
  const owned = (): Record<string, unknown> => ({
    'urn:zitadel:iam:user:resourceowner:id': world.orgId,
    'urn:zitadel:iam:user:resourceowner:name': `Org ${world.domain}`,
    'urn:zitadel:iam:user:resourceowner:primary_domain': world.domain,
  });

  it('tell which organization the user belongs to', async () => {
    const client = await anApplication(world);
    const claims = async (scope: string) => {
      const tokens = await obtainTokens(api, client, user, { scope: `openid ${scope}` });
      const { sub: _sub, ...others } = (await userinfo(api, tokens.access_token)).json<
        Record<string, unknown>
      >();
      expect(payload(tokens.id_token)).toMatchObject(others);
      return others;
    };
    expect(await claims('urn:zitadel:iam:user:resourceowner')).toEqual(owned());
    expect(await claims(byId(world))).toEqual({ ...owned(), 'urn:zitadel:iam:org:id': world.orgId });
    expect(await claims(byDomain(world.domain.toUpperCase()))).toEqual({
      ...owned(),
      'urn:zitadel:iam:org:domain:primary': world.domain,
    });
  });

  it('let only users of that organization in', async () => {
    const client = await anApplication(world);
    const browser = new TestBrowser(api);
    for (const scope of [
      byId(home),
      byDomain(home.domain),
      byId({ orgId: 'nowhere' } as World),
      byDomain('x.test'),
    ]) {
      const answered = await browser.signIn(codeRequest(client, { scope: `openid ${scope}` }), user);
      expect(redirected(answered).get('error')).toBe('access_denied');
      expect(redirected(answered).get('code')).toBeNull();
    }
    // the session is good for others, and does not answer for an organization that is not the user's
    const silent = async (scope: string) =>
      redirected(
        await browser.get(authorizeUrl(codeRequest(client, { scope: `openid ${scope}`, prompt: 'none' }))),
      );
    expect((await silent(byId(home))).get('error')).toBe('login_required');
    expect((await silent(byId(world))).get('code')).not.toBeNull();
  });

  it('are one at most', async () => {
    const client = await anApplication(world);
    const scope = `openid ${byId(world)} ${byDomain(world.domain)}`;
    const answered = await new TestBrowser(api).get(authorizeUrl(codeRequest(client, { scope })));
    expect(redirected(answered).get('error')).toBe('invalid_scope');
    expect(redirected(answered).get('error_description')).toBe('Only one organization scope may be provided');
  });
});

describe('the checks of a project', () => {
  it('let in who holds a role, and who is at home there', async () => {
    const client = await anApplication(world);
    const project = (checks: object) =>
      owner.call('PUT', `projects/${world.projectId}`, { name: 'Project', ...checks });
    const errorOf = async (who: TestUser) =>
      redirected(await new TestBrowser(api).signIn(codeRequest(client, { scope: 'openid' }), who)).get(
        'error',
      );
    await project({ projectRoleCheck: true });
    expect(await errorOf(user)).toBe('access_denied');
    const path = await grant([]);
    expect(await errorOf(user)).toBe('access_denied');
    await owner.call('PUT', path, { roleKeys: ['reader'] });
    expect(await errorOf(user)).toBeNull();
    const stranger = await aUser(home);
    await project({});
    expect(await errorOf(stranger)).toBeNull();
    await project({ hasProjectCheck: true });
    expect(await errorOf(stranger)).toBe('access_denied');
    expect(await errorOf(user)).toBeNull();
    await project({});
  });
});
