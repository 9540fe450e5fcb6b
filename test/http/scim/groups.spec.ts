import { describe, expect, it } from 'vitest';
import { aReplica } from '../../support/api.js';
import { given } from '../../support/given.js';
import { aDirectory, aPerson, GROUP, scim, type Resource } from '../../support/scim.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, aProject, useWorld } from '../../support/world.js';

// Groups are roles of the project that the token names.

const { api, world } = useWorld();
const directory = given(() => aDirectory(world));
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

let made = 0;
async function aGroup(changes: object = {}): Promise<Resource> {
  made += 1;
  return await directory.create('Groups', { schemas: [GROUP], displayName: `Team ${made}`, ...changes });
}
const aMember = async () => (await directory.create('Users', aPerson())).id;
const members = async (id: string) =>
  ((await directory.call('GET', `Groups/${id}`)).json<{ members?: { value: string }[] }>().members ?? [])
    .map(({ value }) => value)
    .sort();

/** Members of a role, too many to be made one by one. */
async function aCrowd(roleKey: string, count: number): Promise<void> {
  const crowd = `FROM generate_series(1, ${count}) AS n`;
  const userId = `'${roleKey}-' || n`;
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, user_name) SELECT ${userId}, $1, 'human', ${userId} ${crowd}`,
    [world.orgId],
  );
  await api.sql.query(
    `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email, email_verified)
     SELECT ${userId}, $1, 'C', 'C', 'C', ${userId} || '@corp.test', true ${crowd}`,
    [world.orgId],
  );
  await api.sql.query(
    `WITH given AS (
       INSERT INTO role_assignments (org_id, project_org_id, user_id, project_id) SELECT $1, $1, ${userId}, $2 ${crowd} RETURNING id)
     INSERT INTO role_assignment_roles (role_assignment_id, project_id, role_key) SELECT id, $2, $3 FROM given`,
    [world.orgId, world.projectId, roleKey],
  );
  await api.sql.query(`ANALYZE users, user_humans, role_assignments, role_assignment_roles`);
}

/** What applications are told. */
const rolesOf = async (userId: string) => {
  const { rows } = await api.sql.query<{ role_key: string }>(
    `SELECT r.role_key FROM role_assignments a JOIN role_assignment_roles r ON r.role_assignment_id = a.id
     WHERE a.user_id = $1 ORDER BY 1`,
    [userId],
  );
  return rows.map((row) => row.role_key);
};

describe('a group', () => {
  it('is a role of the project: made, found, renamed, given, taken, removed', async () => {
    const ada = await aMember();
    const group = await aGroup({ displayName: 'Sales Zürich', externalId: 'g-1', members: [{ value: ada }] });
    expect(group).toMatchObject({
      displayName: 'Sales Zürich',
      externalId: 'g-1',
      members: [{ value: ada, type: 'User' }],
      meta: { resourceType: 'Group', location: `https://id.test/scim/v2/${world.orgId}/Groups/${group.id}` },
    });
    expect(await rolesOf(ada)).toEqual(['Sales-Zurich']);
    const user = (await directory.call('GET', `Users/${ada}`)).json<Resource>();
    expect(user['groups']).toMatchObject([{ value: group.id, display: 'Sales Zürich' }]);
    const renamed = await directory.patch(`Groups/${group.id}`, {
      op: 'Replace',
      value: { id: group.id, displayName: 'Sales' },
    });
    expect(renamed.statusCode).toBe(204);
    const list = await owner.call('POST', `projects/${world.projectId}/roles/_search`, {});
    expect(list.json().result).toMatchObject([{ key: 'Sales-Zurich', displayName: 'Sales' }]);
    expect((await directory.call('DELETE', `Groups/${group.id}`)).statusCode).toBe(204);
    expect(await rolesOf(ada)).toEqual([]);
    expect((await directory.call('GET', `Groups/${group.id}`)).statusCode).toBe(404);
  });

  it('is found by displayName, externalId, id and member, without its members where they are not asked for', async () => {
    const ada = await aMember();
    const { id } = await aGroup({ displayName: 'Finders', externalId: 'g-2', members: [{ value: ada }] });
    const filters = [
      'displayName eq "finders"',
      'externalId eq "g-2"',
      `id eq "${id}"`,
      `id eq "${id}" and members eq "${ada}"`,
      `members[value eq "${ada}"]`,
    ];
    for (const filter of filters) {
      const query = `filter=${encodeURIComponent(filter)}&excludedAttributes=members`;
      const found = (await directory.call('GET', `Groups?${query}`)).json<{ Resources: Resource[] }>();
      expect({ filter, ids: found.Resources.map((one) => one.id) }).toEqual({ filter, ids: [id] });
      expect(found.Resources[0]).not.toHaveProperty('members');
    }
    for (const filter of [
      'displayName sw "F"',
      'displayName eq "a" or displayName co "b"',
      `members[value eq "${ada}" and value eq "${ada}"]`,
      `members[not (value eq "${ada}")]`,
      'meta.created pr',
    ]) {
      const refused = await directory.call('GET', `Groups?filter=${encodeURIComponent(filter)}`);
      expect(refused.json()).toMatchObject({ status: '400', scimType: 'invalidFilter' });
    }
  });

  it('is found by alternatives and by what is not so', async () => {
    const [ada, bob] = [await aMember(), await aMember()];
    const both = [{ value: ada }, { value: bob }];
    await aGroup({ displayName: 'F-A', externalId: 'f-a', members: [{ value: ada }] });
    await aGroup({ displayName: 'F-B', members: [{ value: bob }] });
    const { id } = await aGroup({ displayName: 'F-AB', externalId: 'f-ab', members: both });
    await aGroup({ displayName: 'F-None' });
    const namesOf = async (filter: string) => {
      const query = `filter=${encodeURIComponent(filter)}&excludedAttributes=members`;
      const listed = (await directory.call('GET', `Groups?${query}`)).json<{
        totalResults: number;
        Resources: Resource[];
      }>();
      expect(listed.totalResults).toBe(listed.Resources.length);
      return listed.Resources.map((one) => String(one['displayName'])).filter((name) =>
        name.startsWith('F-'),
      );
    };
    const cases: readonly (readonly [string, string])[] = [
      ['displayName eq "f-a" or displayName eq "F-B"', 'F-A F-B'],
      [`externalId eq "f-a" or id eq "${id}" or displayName eq "F-None"`, 'F-A F-AB F-None'],
      [`members eq "${ada}" and members eq "${bob}"`, 'F-AB'],
      [`members[value eq "${ada}" or value eq "${bob}"]`, 'F-A F-AB F-B'],
      [`members eq "${ada}" and not (id eq "${id}")`, 'F-A'],
      [`not (members eq "${ada}" or members eq "${bob}")`, 'F-None'],
      ['not (externalId eq "f-a") and not (displayName eq "F-B")', 'F-AB F-None'],
      [`members eq "${bob}" and (externalId eq "f-ab" or displayName eq "F-A")`, 'F-AB'],
      ['displayName eq "F-A" and displayName eq "F-B"', ''],
    ];
    for (const [filter, names] of cases) {
      expect({ filter, names: (await namesOf(filter)).join(' ') }).toEqual({ filter, names });
    }
  });

  it('changes its members as Entra ID, Okta and the RFC ask for it', async () => {
    const [ada, bob, cleo] = [await aMember(), await aMember(), await aMember()].sort();
    const { id } = await aGroup();
    const change = async (...operations: readonly object[]) => {
      const response = await directory.patch(`Groups/${id}`, ...operations);
      expect({ status: response.statusCode, body: response.body }).toMatchObject({ status: 204 });
      return await members(id);
    };
    expect(await change({ op: 'Add', path: 'members', value: [{ value: ada }, { value: bob }] })).toEqual([
      ada,
      bob,
    ]);
    // again, and somebody who is not in it
    expect(await change({ op: 'Add', path: 'members', value: [{ value: ada }] })).toEqual([ada, bob]);
    expect(await change({ op: 'Remove', path: `members[value eq "${cleo}"]` })).toEqual([ada, bob]);
    expect(await change({ op: 'Remove', path: 'members', value: [{ value: ada }] })).toEqual([bob]);
    expect(await change({ op: 'remove', path: `members[value eq "${bob}"]` })).toEqual([]);
    expect(
      await change({ op: 'replace', path: 'members', value: [{ value: ada }, { value: cleo }] }),
    ).toEqual([ada, cleo]);
    expect(await change({ op: 'add', value: { members: [{ value: bob }] } })).toEqual([ada, bob, cleo]);
    expect(
      await change(
        { op: 'remove', path: `members[value eq "${ada}"]` },
        { op: 'add', path: 'members', value: [{ value: ada }] },
        { op: 'remove', path: `members[value eq "${bob}" or value eq "${cleo}"]` },
      ),
    ).toEqual([ada]);
    expect(await change({ op: 'remove', path: 'members' })).toEqual([]);
  });

  it('is replaced with its members by PUT, which answers it', async () => {
    const [ada, bob] = [await aMember(), await aMember()];
    const { id } = await aGroup({ members: [{ value: ada }], externalId: 'g-3' });
    const response = await directory.call('PUT', `Groups/${id}`, {
      displayName: 'Others',
      members: [{ value: bob }],
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ displayName: 'Others', members: [{ value: bob }] });
    expect(response.json()).not.toHaveProperty('externalId');
    expect(await rolesOf(ada)).toEqual([]);
  });

  it('loses nobody by an operation whose value is missing, and those named where the name of the value is capitalized', async () => {
    const [ada, bob] = [await aMember(), await aMember()];
    const { id } = await aGroup({ members: [{ value: ada }, { value: bob }] });
    for (const op of ['replace', 'add']) {
      const refused = await directory.patch(`Groups/${id}`, { op, path: 'members' });
      expect(refused.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
    }
    expect(await members(id)).toEqual([ada, bob].toSorted());
    const operation = { OP: 'Remove', Path: 'members', Value: [{ value: ada }] };
    expect((await directory.patch(`Groups/${id}`, operation)).statusCode).toBe(204);
    expect(await members(id)).toEqual([bob]);
    // with neither a filter nor a value it is everybody (RFC 7644 §3.5.2.2)
    expect((await directory.patch(`Groups/${id}`, { op: 'remove', path: 'members' })).statusCode).toBe(204);
    expect(await members(id)).toEqual([]);
  });

  it('S404: swaps its members with another group at once, and neither request fails', async () => {
    const groups = [await aGroup({ displayName: 'Swapped' }), await aGroup()];
    await aCrowd('Swapped', 60);
    const people = Array.from({ length: 60 }, (_, n) => ({ value: `Swapped-${n + 1}` }));
    const put = async (place: number, half: number) =>
      await directory.call('PUT', `Groups/${groups[place]?.id}`, {
        displayName: place === 0 ? 'Swapped' : 'Swapped too',
        members: people.filter((_, n) => n % 2 === half),
      });
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all([put(0, round % 2), put(1, (round + 1) % 2)]);
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    }
  });

  it('keeps its members where PUT says nothing of them, and loses them where it says that there are none', async () => {
    const ada = await aMember();
    const { id } = await aGroup({ members: [{ value: ada }] });
    const kept = await directory.call('PUT', `Groups/${id}`, { displayName: 'Kept' });
    expect(kept.json()).toMatchObject({ displayName: 'Kept', members: [{ value: ada }] });
    await directory.call('PUT', `Groups/${id}`, { displayName: 'Kept', members: [] });
    expect(await rolesOf(ada)).toEqual([]);
  });

  it.each(['add', 'replace'])('is not given whom the filter of a path names: %s', async (op) => {
    const ada = await aMember();
    const { id } = await aGroup();
    const path = `members[value eq "${ada}"]`;
    const response = await directory.patch(`Groups/${id}`, { op, path, value: [{ value: ada }] });
    expect(response.json()).toMatchObject({ status: '400', scimType: 'noTarget' });
    expect(await members(id)).toEqual([]);
  });

  it('keeps what else a user holds of the project', async () => {
    const ada = await aMember();
    const [first, second] = [
      await aGroup({ members: [{ value: ada }] }),
      await aGroup({ members: [{ value: ada }] }),
    ];
    expect(await rolesOf(ada)).toHaveLength(2);
    await directory.patch(`Groups/${first.id}`, { op: 'remove', path: 'members' });
    expect(await members(second.id)).toEqual([ada]);
    expect(await rolesOf(ada)).toHaveLength(1);
  });

  it('has a version that members change, too', async () => {
    const ada = await aMember();
    const { id, meta } = await aGroup();
    const add = { op: 'add', path: 'members', value: [{ value: ada }] };
    const patch = async (ifMatch: string) =>
      await directory.call('PATCH', `Groups/${id}`, { Operations: [add] }, { 'if-match': ifMatch });
    expect((await patch('W/"0"')).statusCode).toBe(412);
    const changed = await patch(meta.version);
    expect(changed.statusCode).toBe(204);
    expect(changed.headers.etag).not.toBe(meta.version);
    expect((await patch(meta.version)).statusCode).toBe(412);
    const same = await directory.call('GET', `Groups/${id}`, undefined, {
      'if-none-match': changed.headers.etag ?? '',
    });
    expect(same.statusCode).toBe(304);
  });

  it('has another version with as many other members, whatever the times of their changes', async () => {
    const [ada, bob] = [await aMember(), await aMember()];
    const { id, meta } = await aGroup({ members: [{ value: ada }] });
    const version = async () => (await directory.call('GET', `Groups/${id}`)).json<Resource>().meta.version;
    const replace = async (value: string) =>
      await directory.patch(`Groups/${id}`, { op: 'replace', path: 'members', value: [{ value }] });
    // of a transaction that began at the same time and ended later
    const atOnce = async () =>
      await api.sql.query(`UPDATE role_assignments SET changed_at = '2020-01-01' WHERE user_id = ANY($1)`, [
        [ada, bob],
      ]);
    await atOnce();
    const versions = [meta.version];
    for (const member of [bob, ada, bob]) {
      await replace(member);
      await atOnce();
      versions.push(await version());
    }
    expect(new Set(versions).size).toBe(4);
    const headers = { 'if-match': versions[1] ?? '' };
    const stale = await directory.call('PUT', `Groups/${id}`, { displayName: 'Stale' }, headers);
    expect(stale.statusCode).toBe(412);
  });

  it('has another version when it is made anew', async () => {
    const body = { displayName: 'Phoenix' };
    const { id, meta } = await directory.create('Groups', body);
    await directory.call('DELETE', `Groups/${id}`);
    const again = await directory.create('Groups', body);
    expect(again.id).toBe(id);
    expect(again.meta.version).not.toBe(meta.version);
  });

  it('refuses a name that is taken, that no key can be made of, and an external id of another group', async () => {
    await aGroup({ displayName: 'Taken', externalId: 'g-4' });
    const post = async (body: object) => (await directory.call('POST', 'Groups', body)).json<object>();
    expect(await post({ displayName: 'Taken' })).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect(await post({ displayName: 'New', externalId: 'g-4' })).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    });
    expect(await post({ displayName: '日本' })).toMatchObject({ status: '400', scimType: 'invalidValue' });
    expect(await post({})).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('takes nobody but people of the organization', async () => {
    const { id } = await aGroup();
    const stranger = await aUser(other);
    const service = await aServiceUser(world);
    for (const value of [stranger.userId, service.userId, 'nobodys', id]) {
      const response = await directory.patch(`Groups/${id}`, {
        op: 'add',
        path: 'members',
        value: [{ value }],
      });
      expect(response.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
    }
    expect(await members(id)).toEqual([]);
  });

  it('takes a thousand changes of members in a request, and refuses more', async () => {
    const { id } = await aGroup();
    const value = Array.from({ length: 1_001 }, (_, index) => ({ value: `nobody-${index}` }));
    const response = await directory.patch(`Groups/${id}`, { op: 'add', path: 'members', value });
    expect(response.json()).toMatchObject({ status: '400', detail: expect.stringContaining('1000') });
    const operations = Array.from({ length: 200 }, (_, index) => ({
      op: 'add',
      path: 'members',
      value: value.slice(0, 400).map((one) => ({ value: `${one.value}-${index}` })),
    }));
    expect((await directory.patch(`Groups/${id}`, ...operations)).json()).toMatchObject({ status: '400' });
    const paths = Object.fromEntries(
      value.map((one) => [`members[value eq "${one.value}"]`, [{ value: 'x' }]]),
    );
    const spelled = await directory.patch(`Groups/${id}`, { op: 'add', value: paths });
    expect(spelled.json()).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
  });

  it('is not listed with its members where there are too many for one answer', async () => {
    const { id, displayName } = await aGroup({ displayName: 'Everybody' });
    await aCrowd('Everybody', 20_001);
    const filter = `filter=${encodeURIComponent(`displayName eq "${String(displayName)}"`)}`;
    const refused = await directory.call('GET', `Groups?${filter}`);
    expect(refused.json()).toMatchObject({ status: '400', scimType: 'tooMany' });
    expect(refused.json<{ detail: string }>().detail).toContain('excludedAttributes=members');
    const listed = await directory.call('GET', `Groups?${filter}&excludedAttributes=members`);
    expect(listed.json()).toMatchObject({ totalResults: 1 });
    expect(await members(id)).toHaveLength(20_001);
  });

  it('changes while others do, and none waits for a connection that another one holds', async () => {
    const narrow = await aReplica(api, { DATABASE_POOL_SIZE: '2', DATABASE_PIPELINE_CONNECTIONS: '0' });
    const groups = await Promise.all(Array.from({ length: 6 }, () => aGroup()));
    const people = await Promise.all(groups.map(() => aMember()));
    const answers = await Promise.all(
      groups.map(({ id }, index) => {
        const body = { Operations: [{ op: 'add', path: 'members', value: [{ value: people[index] }] }] };
        return scim(narrow, 'PATCH', `${world.orgId}/Groups/${id}`, directory.token, body);
      }),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(groups.map(() => 204));
  });

  it('takes a new person in while another group does, whichever is first', async () => {
    const ada = await aMember();
    const { id } = await aGroup({ displayName: 'Later' });
    await aGroup({ displayName: 'Sooner' });
    const first = await api.sql.connect();
    try {
      // what the push of the other group comes to, up to its commit
      await first.query('BEGIN');
      await first.query(
        `WITH given AS (INSERT INTO role_assignments (org_id, project_org_id, user_id, project_id) VALUES ($1, $1, $2, $3) RETURNING id)
         INSERT INTO role_assignment_roles (role_assignment_id, project_id, role_key) SELECT id, $3, 'Sooner' FROM given`,
        [world.orgId, ada, world.projectId],
      );
      const second = directory.patch(`Groups/${id}`, { op: 'add', path: 'members', value: [{ value: ada }] });
      const waits = `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
      await expect.poll(async () => (await first.query(waits)).rows.length, { interval: 10 }).toBe(1);
      await first.query('COMMIT');
      expect((await second).statusCode).toBe(204);
    } finally {
      await first.query('ROLLBACK');
      first.release();
    }
    expect(await rolesOf(ada)).toEqual(['Later', 'Sooner']);
  });

  it('takes many new people in by two pushes at once', async () => {
    const value = await Promise.all(Array.from({ length: 5 }, async () => ({ value: await aMember() })));
    const groups = [await aGroup(), await aGroup(), await aGroup()];
    const pushed = await Promise.all(
      groups.map(({ id }) => directory.patch(`Groups/${id}`, { op: 'add', path: 'members', value })),
    );
    expect(pushed.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204]);
    for (const one of value) expect(await rolesOf(one.value)).toHaveLength(3);
  });

  it('is of one project: a token without one has none, and one of another project sees others', async () => {
    const { id } = await aGroup();
    const without = await aDirectory(world, { projectId: null });
    expect((await without.call('GET', 'Groups')).json()).toMatchObject({ totalResults: 0 });
    expect((await without.call('GET', `Groups/${id}`)).statusCode).toBe(404);
    expect((await without.call('POST', 'Groups', { displayName: 'None' })).statusCode).toBe(400);
    const elsewhere = await aDirectory(world, { projectId: await aProject(world) });
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await elsewhere.call(method, `Groups/${id}`)).statusCode).toBe(404);
    }
  });

  it('shows nothing of an organization that the project is granted to', async () => {
    const { id, displayName } = await aGroup({ displayName: 'Granted' });
    const grant = await owner.call('POST', `projects/${world.projectId}/grants`, {
      grantedOrgId: other.orgId,
      roleKeys: ['Granted'],
    });
    expect(displayName).toBe('Granted');
    const theirs = await aServiceUser(other, 'ORG_OWNER');
    const stranger = await aUser(other);
    const given = await theirs.call('POST', `users/${stranger.userId}/grants`, {
      projectId: world.projectId,
      projectGrantId: grant.json<{ grantId: string }>().grantId,
      roleKeys: ['Granted'],
    });
    expect(given.statusCode).toBe(200);
    expect(await members(id)).toEqual([]);
    const found = await directory.call(
      'GET',
      `Groups?filter=${encodeURIComponent(`members eq "${stranger.userId}"`)}`,
    );
    expect(found.json()).toMatchObject({ totalResults: 0 });
    await directory.patch(`Groups/${id}`, { op: 'remove', path: 'members' });
    expect(await rolesOf(stranger.userId)).toEqual(['Granted']);
  });
});
