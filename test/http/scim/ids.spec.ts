import { describe, expect, it } from 'vitest';
import type { ProjectId } from '../../../src/domain/shared/ids.js';
import { given } from '../../support/given.js';
import { aDirectory, aPerson, type Resource } from '../../support/scim.js';
import { useWorld } from '../../support/world.js';

// RFC 3986 §2.1, §3.3: what came from another system may have any character of an id in it, and is still one segment of a path.

const { api, world } = useWorld();
const PROJECT = 'a/pro%ject#1';
const directory = given(async () => {
  await api.sql.query(`INSERT INTO projects (id, org_id, name) VALUES ($1, $2, 'Imported')`, [
    PROJECT,
    world.orgId,
  ]);
  return await aDirectory(world, { projectId: PROJECT as ProjectId });
});

async function imported(id: string): Promise<string> {
  await api.sql.query(`INSERT INTO users (id, org_id, kind, user_name) VALUES ($1, $2, 'human', $1)`, [
    id,
    world.orgId,
  ]);
  await api.sql.query(
    `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email, email_verified)
     VALUES ($1, $2, 'I', 'I', 'I', 'imported-' || md5($1::text) || '@corp.test', true)`,
    [id, world.orgId],
  );
  return id;
}

const pathOf = (location: string | undefined) => (location ?? '').split(`/scim/v2/${world.orgId}/`)[1] ?? '';
const locationOf = ({ meta }: Resource) => (meta as unknown as { location: string }).location;

describe('the location of a user', () => {
  it.each(['with/slash', '100%', 'a%2Fb', '#1', 'what?', 'a/../b'])(
    'is percent-encoded and read back: %s',
    async (id) => {
      await imported(id);
      const location = `https://id.test/scim/v2/${world.orgId}/Users/${encodeURIComponent(id)}`;
      const [found] = (
        await directory.call('GET', `Users?filter=${encodeURIComponent(`id eq "${id}"`)}`)
      ).json<{ Resources: Resource[] }>().Resources;
      expect(found).toMatchObject({ id, meta: { location } });
      const path = pathOf(location);
      const read = await directory.call('GET', path);
      expect(read.json()).toMatchObject({ id });
      expect(read.headers.location).toBe(location);
      const named = await directory.patch(path, { op: 'replace', path: 'nickName', value: 'Nick' });
      expect(named.json()).toMatchObject({ id, nickName: 'Nick' });
      const operation = { method: 'PATCH', path: `/${path}` };
      const data = { Operations: [{ op: 'replace', path: 'nickName', value: 'Bulk' }] };
      const bulk = await directory.call('POST', 'Bulk', { Operations: [{ ...operation, data }] });
      expect(bulk.json()).toMatchObject({ Operations: [{ status: '200', location }] });
      expect((await directory.call('GET', path)).json()).toMatchObject({ nickName: 'Bulk' });
      expect((await directory.call('DELETE', path)).statusCode).toBe(204);
    },
  );
});

describe('the location of a group', () => {
  it('is percent-encoded with the project’s id in it, and so are those that users and groups name', async () => {
    const ada = await imported('ada/1%');
    const group = await directory.create('Groups', { displayName: 'Odd', members: [{ value: ada }] });
    expect(group.id).toContain(PROJECT);
    expect(group['members']).toMatchObject([
      { value: ada, $ref: expect.stringMatching(/\/Users\/ada%2F1%25$/) },
    ]);
    const path = pathOf(locationOf(group));
    expect(path).toBe(`Groups/${encodeURIComponent(group.id)}`);
    expect((await directory.call('GET', path)).json()).toMatchObject({ id: group.id });
    const user = (await directory.call('GET', `Users/${encodeURIComponent(ada)}`)).json<Resource>();
    expect(user['groups']).toMatchObject([{ value: group.id, $ref: locationOf(group) }]);
  });

  it('is what a bulkId stands for', async () => {
    const data = { Operations: [{ op: 'add', path: 'members', value: [{ value: 'bulkId:a/b' }] }] };
    const response = await directory.call('POST', 'Bulk', {
      Operations: [
        { method: 'PATCH', path: '/Groups/bulkId:g%2F1', data },
        { method: 'POST', path: '/Groups', bulkId: 'g/1', data: { displayName: 'Referred' } },
        { method: 'POST', path: '/Users', bulkId: 'a/b', data: aPerson() },
      ],
    });
    const { Operations: outcomes } = response.json<{ Operations: { status: string; location: string }[] }>();
    expect(outcomes.map(({ status }) => status)).toEqual(['201', '201', '204']);
    const group = await directory.call('GET', pathOf(outcomes[0]?.location));
    expect(group.json<{ members: object[] }>().members).toHaveLength(1);
  });
});

describe('a path', () => {
  it('whose percent-encoding is malformed leads nowhere', async () => {
    const operation = { method: 'DELETE', path: '/Users/100%' };
    const bulk = await directory.call('POST', 'Bulk', { Operations: [operation] });
    const response = { scimType: 'invalidPath' };
    expect(bulk.json()).toMatchObject({ Operations: [{ status: '400', response }] });
    expect((await directory.call('DELETE', 'Users/100%')).statusCode).toBe(400);
  });
});
