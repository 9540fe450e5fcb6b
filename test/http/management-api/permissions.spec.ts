import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/domain/permissions/permissions.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const FORBIDDEN = errorBody(7, 'No matching permissions found', 'AUTH-5mWD2');

const { api, world: o1 } = useWorld();
const o2 = given(() => anOrganization(api));

const inO1 = () => ({ 'x-zitadel-orgid': o1.orgId });
const inO2 = () => ({ 'x-zitadel-orgid': o2.orgId });

/** Number of rows that writing routes could have added or changed. */
async function fingerprint(): Promise<unknown> {
  const { rows } = await api.sql.query(`
    SELECT (SELECT count(*) FROM users) AS users, (SELECT sum(sequence) FROM users) AS changes,
      (SELECT count(*) FROM projects) AS projects, (SELECT count(*) FROM applications) AS applications,
      (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM notifications) AS notifications`);
  return rows[0];
}

interface Route {
  readonly name: string;
  readonly allowed: readonly Role[];
  readonly send: (
    world: World,
    pat: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<{ statusCode: number; json: () => unknown }>;
}

const OWNERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER'];

const routes: readonly Route[] = [
  {
    name: 'POST users/human/_import',
    allowed: OWNERS,
    send: (_, pat, headers) => call(api, 'POST', 'users/human/_import', { pat, body: record(), headers }),
  },
  {
    name: 'GET users/{id}',
    allowed: [...OWNERS, 'IAM_OWNER_VIEWER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'],
    send: async (world, pat, headers) =>
      call(api, 'GET', `users/${(await aUser(world)).userId}`, { pat, headers }),
  },
  {
    name: 'POST users/{id}/_deactivate',
    allowed: [...OWNERS, 'ORG_USER_MANAGER'],
    send: async (world, pat, headers) =>
      call(api, 'POST', `users/${(await aUser(world)).userId}/_deactivate`, { pat, body: {}, headers }),
  },
  {
    name: 'POST users/{id}/_reactivate',
    allowed: [...OWNERS, 'ORG_USER_MANAGER'],
    send: async (world, pat, headers) => {
      const { userId } = await aUser(world);
      await api.sql.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [userId]);
      return await call(api, 'POST', `users/${userId}/_reactivate`, { pat, headers });
    },
  },
  {
    name: 'POST projects',
    allowed: OWNERS,
    send: (_, pat, headers) =>
      call(api, 'POST', 'projects', { pat, body: { name: String(record()['userName']) }, headers }),
  },
  {
    name: 'POST projects/{id}/apps/oidc',
    allowed: OWNERS,
    send: (world, pat, headers) =>
      call(api, 'POST', `projects/${world.projectId}/apps/oidc`, {
        pat,
        body: { name: String(record()['userName']), redirectUris: ['https://rp.test/cb'] },
        headers,
      }),
  },
];

describe.each(routes)('$name', ({ allowed, send }) => {
  it.each([undefined, ...ROLES])('in the own organization, with the role %s', async (role) => {
    const caller = await aServiceUser(o1, role);
    const response = await send(o1, caller.pat, {});
    if (role !== undefined && allowed.includes(role)) {
      expect(response.statusCode).toBe(200);
    } else {
      expect(response.statusCode).toBe(403);
      expect(response.json()).toEqual(FORBIDDEN);
    }
  });

  it.each([undefined, ...ROLES])('in another organization, with the role %s at home', async (role) => {
    const caller = await aServiceUser(o1, role);
    const response = await send(o2, caller.pat, inO2());
    const everywhere = role?.startsWith('IAM_') === true && allowed.includes(role);
    expect(response.statusCode).toBe(everywhere ? 200 : 403);
    if (!everywhere) expect(response.json()).toEqual(FORBIDDEN);
  });

  it('with a role in the other organization only: there, not at home', async () => {
    const caller = await aServiceUser(o1, 'ORG_OWNER', o2);
    expect((await send(o2, caller.pat, inO2())).statusCode).toBe(200);
    expect((await send(o1, caller.pat, {})).statusCode).toBe(403);
  });

  it('tells nobody of an organization that there is none', async () => {
    const caller = await aServiceUser(o1, 'IAM_OWNER');
    const response = await send(o1, caller.pat, { 'x-zitadel-orgid': 'nowhere' });
    expect(response.statusCode).toBe(403);
    expect(response.json()).toEqual(errorBody(7, "Organisation doesn't exist", 'AUTH-Bs7Ds'));
  });
});

describe('the header that names the organization', () => {
  const root = given(() => aServiceUser(o1, 'IAM_OWNER'));

  const ownerOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const response = await root.call('POST', 'users/human/_import', record(), { headers });
    return response.statusCode === 200
      ? response.json<{ details: { resourceOwner: string } }>().details.resourceOwner
      : response.statusCode;
  };

  it('decides where a user is written, under either name', async () => {
    expect(await ownerOf({})).toBe(o1.orgId);
    expect(await ownerOf({ 'x-zitadel-orgid': o2.orgId })).toBe(o2.orgId);
    expect(await ownerOf({ 'x-org-id': o2.orgId })).toBe(o2.orgId);
    expect(await ownerOf({ 'x-zitadel-orgid': o2.orgId, 'x-org-id': o2.orgId })).toBe(o2.orgId);
    expect(await ownerOf({ 'x-zitadel-orgid': '', 'x-org-id': '' })).toBe(o1.orgId);
  });

  it('must not name two organizations', async () => {
    const before = await fingerprint();
    const headers = { 'x-zitadel-orgid': o2.orgId, 'x-org-id': o1.orgId };
    const response = await root.call('POST', 'users/human/_import', record(), { headers });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({
      code: 3,
      message: 'x-zitadel-orgid and x-org-id name different organizations',
    });
    expect(await ownerOf({ 'x-zitadel-orgid': `${o1.orgId}, ${o2.orgId}` })).toBe(403);
    expect(await fingerprint()).toEqual(before);
  });

  it('is not taken from the body', async () => {
    for (const field of ['orgId', 'organizationId', 'resourceOwner', 'org_id']) {
      const response = await root.call('POST', 'users/human/_import', record({ [field]: o2.orgId }));
      expect(response.statusCode).toBe(400);
      expect(response.json()).toEqual({ code: 3, message: `unknown field "${field}"` });
    }
  });
});

describe('a resource of another organization', () => {
  it('looks like one that does not exist', async () => {
    const root = await aServiceUser(o1, 'IAM_OWNER');
    const owner = await aServiceUser(o1, 'ORG_OWNER');
    const stranger = await aUser(o2);
    const notFound = errorBody(5, 'User could not be found', 'QUERY-Dfbg2');
    const noProject = errorBody(5, 'Project could not be found', 'COMMAND-EbFMN');
    for (const { pat } of [owner, root]) {
      for (const id of [stranger.userId, 'nobody', '\0', 'ü', "' OR 1=1--", 'x'.repeat(210)]) {
        const path = `users/${encodeURIComponent(id)}`;
        for (const response of [
          await call(api, 'GET', path, { pat }),
          await call(api, 'POST', `${path}/_deactivate`, { pat }),
          await call(api, 'POST', `${path}/_reactivate`, { pat }),
        ]) {
          expect(response.statusCode).toBe(404);
          expect(response.json()).toEqual(notFound);
        }
      }
      for (const id of [o2.projectId, 'nothing', '%00']) {
        const response = await call(api, 'POST', `projects/${id}/apps/oidc`, { pat, body: { name: 'App' } });
        expect(response.statusCode).toBe(404);
        expect(response.json()).toEqual(noProject);
      }
    }
    expect(
      (await root.call('GET', `users/${stranger.userId}`, undefined, { headers: inO2() })).statusCode,
    ).toBe(200);
  });
});

it('reads the roles for every call', async () => {
  const caller = await aServiceUser(o1, 'ORG_OWNER');
  const send = () => caller.call('POST', 'projects', { name: String(record()['userName']) });
  expect((await send()).statusCode).toBe(200);
  await api.sql.query('DELETE FROM memberships WHERE user_id = $1', [caller.userId]);
  const before = await fingerprint();
  expect((await send()).json()).toEqual(FORBIDDEN);
  expect(await fingerprint()).toEqual(before);
});

it('asks for the permission before it looks at the body', async () => {
  const caller = await aServiceUser(o1);
  for (const body of ['{', {}, { userName: '' }]) {
    const response = await caller.call('POST', 'users/human/_import', body, { headers: inO1() });
    expect(response.json()).toEqual(FORBIDDEN);
  }
});
