import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { errorBody } from '../../support/calls.js';
import { eventTypesOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let root: ServiceUser;
let owner: ServiceUser;

const { api, world: home } = useWorld();
const replica = useReplica(api);
const world = given(() => anOrganization(api));
beforeAll(async () => {
  root = await aServiceUser(home, 'IAM_OWNER');
});

beforeEach(async () => {
  owner = await aServiceUser(world, 'ORG_OWNER');
});

const details = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

describe('members of an organization', () => {
  const members = 'orgs/me/members';

  it('get roles, change them and lose them, at once on every replica', async () => {
    const helper = await aServiceUser(world);
    const look = async () => (await helper.call('GET', 'orgs/me', undefined, { on: replica })).statusCode;
    expect(await look()).toBe(403);
    const added = await owner.call('POST', members, {
      userId: helper.userId,
      roles: ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'],
    });
    const { sequence } = added.json<{ details: { sequence: string } }>().details;
    const after = (changes: bigint) => String(BigInt(sequence) + changes);
    expect(added.json()).toEqual({
      details: { sequence, creationDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect(await look()).toBe(200);
    const listed = await owner.call('POST', `${members}/_search`, {});
    expect(listed.json<{ result: unknown[] }>().result).toContainEqual({
      userId: helper.userId,
      details: {
        sequence,
        creationDate: expect.any(String) as string,
        changeDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
      roles: ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'],
      preferredLoginName: expect.stringMatching(new RegExp(`@${world.domain}$`)) as string,
      displayName: expect.any(String) as string,
      userType: 'TYPE_MACHINE',
      userResourceOwner: world.orgId,
    });
    const path = `${members}/${helper.userId}`;
    const changed = await owner.call('PUT', path, {
      roles: ['ORG_OWNER_VIEWER', 'ORG_END_USER_IMPERSONATOR'],
    });
    expect(changed.json()).toEqual({ details: details(after(1n)) });
    expect((await owner.call('DELETE', path)).json()).toEqual({ details: details(after(2n)) });
    expect(await look()).toBe(403);
    const gone = errorBody(5, 'Member could not be found', 'QUERY-9bYKa');
    expect((await owner.call('DELETE', path)).json()).toEqual(gone);
    expect((await owner.call('PUT', path, { roles: ['ORG_OWNER'] })).json()).toEqual(gone);
    expect(await eventTypesOf(api, `${world.orgId} ${helper.userId}`)).toEqual(
      ['added', 'changed', 'removed'].map((word) => `organization.member.${word}`),
    );
  });

  it('are added once, also when two add one at once', async () => {
    const helper = await aServiceUser(world);
    const both = await Promise.all(
      (['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'] as const).map((role, index) =>
        owner.call('POST', members, { userId: helper.userId, roles: [role] }, { on: [api, replica][index] }),
      ),
    );
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it.each([
    [{ roles: [] }, 'roles must have at least one entry'],
    [{ roles: ['IAM_OWNER'] }, 'roles[0] must be one of ORG_OWNER'],
    [{ roles: ['ORG_OWNER', 'ROOT'] }, 'roles[1] must be one of ORG_OWNER'],
    [{ roles: 'ORG_OWNER' }, 'roles must be a list'],
    [{}, 'roles is required'],
  ])('do not get %j', async (body, message) => {
    const helper = await aServiceUser(world);
    const response = await owner.call('POST', members, { userId: helper.userId, ...body });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });

  it('are users of that organization', async () => {
    const stranger = await aUser(home);
    const body = { userId: stranger.userId, roles: ['ORG_OWNER'] };
    const deleted = await aUser(world);
    expect((await owner.call('DELETE', `users/${deleted.userId}`)).statusCode).toBe(200);
    for (const userId of [stranger.userId, deleted.userId, 'nobody']) {
      const response = await owner.call('POST', members, { ...body, userId });
      expect(response.json()).toEqual(errorBody(5, 'User could not be found', 'QUERY-Dfbg2'));
    }
    const ofInstance = { userId: deleted.userId, roles: ['IAM_OWNER'] };
    expect((await root.call('POST', '/admin/v1/members', ofInstance)).statusCode).toBe(404);
    expect((await root.call('PUT', `${members}/${owner.userId}`, { roles: ['ORG_OWNER'] })).statusCode).toBe(
      404,
    );
  });
});

describe('members of the instance', () => {
  const members = '/admin/v1/members';

  it('are the business of its owners alone', async () => {
    const viewer = await aServiceUser(home, 'IAM_OWNER_VIEWER');
    const body = { userId: owner.userId, roles: ['IAM_OWNER_VIEWER'] };
    for (const who of [owner, viewer]) {
      for (const response of [
        await who.call('POST', members, body),
        await who.call('POST', `${members}/_search`),
        await who.call('PUT', `${members}/${root.userId}`, { roles: ['IAM_OWNER'] }),
        await who.call('DELETE', `${members}/${root.userId}`),
      ]) {
        expect(response.statusCode).toBe(403);
      }
    }
    expect((await root.call('POST', members, { ...body, roles: ['ORG_OWNER'] })).statusCode).toBe(400);
    expect((await root.call('POST', members, body)).statusCode).toBe(200);
    expect((await root.call('POST', `${members}/_search`)).json()).toMatchObject({
      result: expect.arrayContaining([
        expect.objectContaining({ userId: owner.userId, roles: ['IAM_OWNER_VIEWER'] }),
      ]) as unknown,
    });
    expect((await root.call('DELETE', `${members}/${owner.userId}`)).statusCode).toBe(200);
  });

  it('keep an owner, and one who can act', async () => {
    const last = errorBody(9, 'The last owner of the instance cannot be removed', 'COMMAND-f2Nq7');
    const path = `${members}/${root.userId}`;
    expect((await root.call('DELETE', path)).json()).toEqual(last);
    expect((await root.call('PUT', path, { roles: ['IAM_OWNER_VIEWER'] })).json()).toEqual(last);
    const second = await aServiceUser(home, 'IAM_OWNER');
    await api.sql.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [second.userId]);
    expect((await root.call('DELETE', path)).json()).toEqual(last);
    await root.call('DELETE', `${members}/${second.userId}`);
  });

  it('keep an owner when two remove each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const second = await aServiceUser(home, 'IAM_OWNER');
      const [mine, theirs] = await Promise.all([
        root.call('DELETE', `${members}/${second.userId}`),
        second.call('DELETE', `${members}/${root.userId}`, undefined, { on: replica }),
      ]);
      // the loser has lost the role already, before the call or in the middle of it
      expect([mine.statusCode, theirs.statusCode].toSorted((a, b) => a - b)).toEqual([200, 403]);
      if (theirs.statusCode === 200) root = second;
    }
  });
});
