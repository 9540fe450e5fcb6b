import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { obtainTokens, refreshTokens, userinfo } from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world: home } = useWorld();
const replica = useReplica(api);
const world = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

async function addProject(name: string): Promise<string> {
  return (await owner.call('POST', 'projects', { name })).json<{ id: string }>().id;
}

interface List {
  readonly details: { readonly totalResult: string };
  readonly result: readonly { readonly id: string; readonly name: string; readonly key: string }[];
}

const details = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

const notFound = errorBody(5, 'Project could not be found', 'COMMAND-EbFMN');

describe('projects', () => {
  it('are read, replaced as a whole, and tell how often they changed', async () => {
    const id = await addProject('Shop');
    const changed = await owner.call('PUT', `projects/${id}`, { name: 'Store', projectRoleCheck: true });
    expect(changed.json()).toEqual({ details: details('2') });
    expect((await owner.call('GET', `projects/${id}`)).json()).toEqual({
      project: {
        id,
        details: { ...details('2'), creationDate: expect.any(String) as string },
        name: 'Store',
        state: 'PROJECT_STATE_ACTIVE',
        projectRoleCheck: true,
        privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
      },
    });
    await owner.call('PUT', `projects/${id}`, { name: 'Store', projectRoleCheck: true });
    await owner.call('PUT', `projects/${id}`, { name: 'Store' });
    const [, ...changes] = await eventsOf(api, id, 'type', 'fields');
    expect(changes).toEqual(
      [['name', 'projectRoleCheck'], [], ['projectRoleCheck']].map((fields) => ({
        type: 'project.changed',
        fields,
      })),
    );
  });

  it('keep their names apart', async () => {
    await addProject('Taken');
    const id = await addProject('Free');
    expect((await owner.call('PUT', `projects/${id}`, { name: 'Taken' })).statusCode).toBe(409);
  });

  it('are listed in pages, filtered by name, and never those of another organization', async () => {
    for (const name of ['List a', 'List b', 'list C']) await addProject(name);
    const search = async (body: unknown) => {
      const response = await owner.call('POST', 'projects/_search', body);
      expect(response.statusCode).toBe(200);
      return response.json<List>();
    };
    const filter = { nameQuery: { name: 'LIST', method: 'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE' } };
    const queries = [filter];
    const names = async (query: unknown) => (await search({ query, queries })).result.map(({ name }) => name);
    expect(await names({ asc: true })).toEqual(['List a', 'List b', 'list C']);
    expect(await names({})).toEqual(['list C', 'List b', 'List a']);
    expect(await names({ asc: true, offset: '1', limit: 1 })).toEqual(['List b']);
    const past = await search({ query: { offset: 50 }, queries });
    expect(past).toEqual({
      details: {
        totalResult: '3',
        processedSequence: expect.stringMatching(/^[1-9]\d*$/) as string,
        viewTimestamp: expect.stringMatching(/Z$/) as string,
      },
      result: [],
    });
    expect((await search({ queries: [{ name_query: { name: 'List a' } }] })).result).toHaveLength(1);
    expect((await search({})).result.some(({ id }) => id === home.projectId)).toBe(false);
    expect((await owner.call('POST', 'projects/_search')).statusCode).toBe(200);
  });

  it.each([
    [{ query: { limit: 1001 } }, 'query.limit must be a whole number from 0 to 1000'],
    [{ query: { offset: -1 } }, 'query.offset must be a whole number'],
    [{ query: { ofset: 1 } }, 'query has an unknown field "ofset"'],
    [{ query: 7 }, 'query must be an object'],
    [{ queries: [{ idQuery: {} }] }, 'queries[0]'],
    [{ queries: [{ nameQuery: { name: 'a', method: 'LIKE' } }] }, 'must be one of'],
    [{ queries: [{ nameQuery: { name: 'a\0b' } }] }, 'must not contain NUL'],
    [{ filter: 1 }, 'unknown field "filter"'],
  ])('refuse the search %j', async (body, message) => {
    const response = await owner.call('POST', 'projects/_search', body);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });

  it('of another organization are not found, whatever is asked of them', async () => {
    for (const id of [home.projectId, 'nothing', '%00']) {
      for (const response of [
        await owner.call('GET', `projects/${id}`),
        await owner.call('PUT', `projects/${id}`, { name: 'Mine' }),
        await owner.call('DELETE', `projects/${id}`),
        await owner.call('POST', `projects/${id}/_deactivate`),
        await owner.call('POST', `projects/${id}/_reactivate`),
        await owner.call('POST', `projects/${id}/roles`, { roleKey: 'r', displayName: 'R' }),
        await owner.call('POST', `projects/${id}/roles/_search`),
      ]) {
        expect(response.statusCode).toBe(404);
        expect(response.json()).toEqual(notFound);
      }
    }
  });

  it('that the service itself needs stay', async () => {
    const root = await aServiceUser(home, 'IAM_OWNER');
    const { rows } = await api.sql.query<{ id: string }>('SELECT api_project_id AS id FROM instance');
    const own = rows[0]?.id ?? '';
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/_deactivate'],
    ] as const) {
      const response = await root.call(method, `projects/${own}${path}`);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toEqual(errorBody(9, 'The service needs its own project', 'COMMAND-x8Tp2'));
    }
  });
});

describe('a project that is put to rest or removed', () => {
  async function signedIn(projectId: string) {
    const created = await owner.call('POST', `projects/${projectId}/apps/oidc`, {
      name: 'App',
      redirectUris: ['https://rp.test/cb'],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
    });
    const { appId, ...keys } = created.json<{ appId: string; clientId: string; clientSecret: string }>();
    const client = { id: appId, ...keys };
    const tokens = await obtainTokens(api, client, await aUser(world));
    const look = async () => (await userinfo(replica, tokens.access_token)).statusCode;
    const refresh = async () => (await refreshTokens(replica, client, tokens)).statusCode;
    return { look, refresh };
  }

  it('ends the tokens of its applications on every replica, and they stay dead', async () => {
    const id = await addProject('Resting');
    const { look, refresh } = await signedIn(id);
    expect(await look()).toBe(200);
    expect((await owner.call('POST', `projects/${id}/_deactivate`, {})).json()).toEqual({
      details: details('2'),
    });
    expect(await look()).toBe(401);
    expect(await refresh()).toBe(401);
    const again = await owner.call('POST', `projects/${id}/_deactivate`, {});
    expect(again.statusCode).toBe(400);
    expect(again.json()).toEqual(errorBody(9, 'Project is deactivated', 'COMMAND-6M9sd'));
    expect((await owner.call('POST', `projects/${id}/_reactivate`)).json()).toEqual({
      details: details('3'),
    });
    expect((await owner.call('POST', `projects/${id}/_reactivate`)).statusCode).toBe(400);
    expect(await look()).toBe(401);
  });

  it('leaves nothing behind that works', async () => {
    const id = await addProject('Going');
    const { look, refresh } = await signedIn(id);
    expect((await owner.call('DELETE', `projects/${id}`)).json()).toEqual({ details: details('2') });
    expect(await look()).toBe(401);
    expect(await refresh()).toBe(401);
    expect((await owner.call('GET', `projects/${id}`)).json()).toEqual(notFound);
    expect((await owner.call('DELETE', `projects/${id}`)).statusCode).toBe(404);
  });
});

describe('roles of a project', () => {
  it('are added, listed, changed and removed', async () => {
    const id = await addProject('With roles');
    const roles = `projects/${id}/roles`;
    const added = await owner.call('POST', roles, {
      roleKey: 'admin',
      displayName: 'Administrator',
      group: 'staff',
    });
    const { sequence } = added.json<{ details: { sequence: string } }>().details;
    const afterOne = details(String(BigInt(sequence) + 1n));
    expect(added.json()).toEqual({
      details: {
        sequence,
        creationDate: expect.stringMatching(/Z$/) as string,
        resourceOwner: world.orgId,
      },
    });
    await owner.call('POST', roles, { role_key: 'reader', displayName: 'Reader' });
    const again = await owner.call('POST', roles, { roleKey: 'admin', displayName: 'Again' });
    expect(again.statusCode).toBe(409);
    expect((await owner.call('PUT', `${roles}/admin`, { displayName: 'Chief' })).json()).toEqual({
      details: afterOne,
    });
    expect((await eventsOf(api, `${id} admin`, 'fields')).at(-1)).toEqual({
      fields: ['displayName', 'group'],
    });
    const listed = (await owner.call('POST', `${roles}/_search`, { query: { asc: true } })).json<List>();
    expect(listed.result).toEqual([
      {
        key: 'admin',
        displayName: 'Chief',
        details: { ...afterOne, creationDate: expect.any(String) as string },
      },
      expect.objectContaining({ key: 'reader' }) as unknown,
    ]);
    expect((await owner.call('DELETE', `${roles}/admin`)).statusCode).toBe(200);
    for (const response of [
      await owner.call('DELETE', `${roles}/admin`),
      await owner.call('PUT', `${roles}/admin`, { displayName: 'X' }),
    ]) {
      expect(response.statusCode).toBe(404);
    }
  });

  it.each(['', 'a b', 'ä', 'a"b', 'a\\b', 'x'.repeat(201)])('do not have the key %j', async (roleKey) => {
    const path = `projects/${world.projectId}/roles`;
    expect((await owner.call('POST', path, { roleKey, displayName: 'R' })).statusCode).toBe(400);
  });
});
