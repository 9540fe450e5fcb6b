import { describe, expect, it } from 'vitest';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// What somebody may do, and where, as an interface asks it: by the roles of this moment, and of no organization that they hold
// no role in.

const { api, world } = useWorld();
const PATH = '/auth/v1/users/me/permissions';

interface Allowed {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

interface Answer {
  readonly mfaRequired?: boolean;
  readonly instance: Allowed;
  readonly organizations: readonly (Allowed & { readonly id: string; readonly name: string })[];
}

describe('own permissions', () => {
  it('are those of the roles, organization by organization, by name', async () => {
    const other = await anOrganization(api);
    const user = await aServiceUser(world, 'ORG_OWNER_VIEWER', other);
    const answer = await user.call('GET', PATH);
    expect(answer.statusCode).toBe(200);
    const { instance, organizations, mfaRequired } = answer.json<Answer>();
    expect(mfaRequired).toBeUndefined();
    expect(instance).toEqual({ roles: [], permissions: [] });
    expect(organizations.map(({ id }) => id).sort()).toEqual([world.orgId, other.orgId].sort());
    const there = organizations.find(({ id }) => id === other.orgId);
    expect(there?.roles).toEqual(['ORG_OWNER_VIEWER']);
    expect(there?.permissions).toContain('user.read');
    expect(there?.permissions).not.toContain('user.write');
    expect(organizations.find(({ id }) => id === world.orgId)).toMatchObject({
      roles: [],
      permissions: [],
    });
  });

  it('of the instance stand apart, and list no organization that the caller is not in', async () => {
    const other = await anOrganization(api);
    const user = await aServiceUser(world, 'IAM_OWNER');
    const { instance, organizations } = (await user.call('GET', PATH)).json<Answer>();
    expect(instance.roles).toEqual(['IAM_OWNER']);
    expect(instance.permissions).toEqual(expect.arrayContaining(['iam.write', 'user.write', 'queues.write']));
    expect(organizations.map(({ id }) => id)).not.toContain(other.orgId);
  });

  it('are gone with the role, at once', async () => {
    const user = await aServiceUser(world, 'ORG_OWNER');
    const before = (await user.call('GET', PATH)).json<Answer>();
    expect(before.organizations[0]?.roles).toEqual(['ORG_OWNER']);
    await api.sql.query('DELETE FROM memberships WHERE user_id = $1', [user.userId]);
    const after = (await user.call('GET', PATH)).json<Answer>();
    expect(after.organizations[0]).toMatchObject({ roles: [], permissions: [] });
  });

  it('are told to nobody without a token', async () => {
    const answer = await api.app.inject({ method: 'GET', url: PATH });
    expect(answer.statusCode).toBe(401);
  });
});
