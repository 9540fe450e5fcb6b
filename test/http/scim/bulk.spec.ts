import { describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aDirectory, aPerson } from '../../support/scim.js';
import { useWorld } from '../../support/world.js';

// RFC 7644 §3.7

const { api, world } = useWorld();
const directory = given(() => aDirectory(world));

interface Outcome {
  readonly method: string;
  readonly bulkId?: string;
  readonly location?: string;
  readonly status: string;
  readonly response?: object;
}

async function bulk(operations: readonly object[], more: object = {}): Promise<readonly Outcome[]> {
  const response = await directory.call('POST', 'Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: operations,
    ...more,
  });
  expect({ status: response.statusCode, body: response.body }).toMatchObject({ status: 200 });
  return response.json<{ Operations: Outcome[] }>().Operations;
}

const post = (bulkId: string, path: string, data: object) => ({ method: 'POST', path, bulkId, data });

describe('POST /Bulk', () => {
  it('makes users and a group of them, whatever stands first', async () => {
    const outcomes = await bulk([
      post('team', '/Groups', {
        displayName: 'Bulk Team',
        members: [{ value: 'bulkId:ada' }, { value: 'bulkId:bob' }],
      }),
      post('ada', '/Users', aPerson()),
      post('bob', '/Users', aPerson()),
      {
        method: 'PATCH',
        path: '/Users/bulkId:ada',
        data: { Operations: [{ op: 'replace', value: { nickName: 'A' } }] },
      },
    ]);
    expect(outcomes.map(({ method, bulkId, status }) => [method, bulkId, status])).toEqual([
      ['POST', 'ada', '201'],
      ['POST', 'bob', '201'],
      ['POST', 'team', '201'],
      ['PATCH', undefined, '200'],
    ]);
    const group = outcomes.find(({ bulkId }) => bulkId === 'team');
    const read = await directory.call('GET', `Groups/${group?.location?.split('/').at(-1) ?? ''}`);
    expect(read.json<{ members: object[] }>().members).toHaveLength(2);
  });

  it('refuses data of too many levels, and what comes after its token is over', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"Operations":[{"method":"POST","path":"/Users","bulkId":"a","data":${deep}}]}`;
    expect((await directory.call('POST', 'Bulk', body)).json()).toMatchObject({ status: '400' });
    const brief = await aDirectory(world, { name: 'Brief' });
    await api.sql.query(`
      CREATE FUNCTION end_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN DELETE FROM scim_tokens WHERE name = 'Brief'; RETURN NULL; END $$`);
    await api.sql.query(
      `CREATE TRIGGER ends AFTER INSERT ON provisioned_users EXECUTE FUNCTION end_tokens()`,
    );
    const operations = ['a', 'b', 'c'].map((bulkId) => post(bulkId, '/Users', aPerson()));
    const response = await brief.call('POST', 'Bulk', { Operations: operations });
    await api.sql.query(`DROP FUNCTION end_tokens CASCADE`);
    const outcomes = response.json<{ Operations: Outcome[] }>().Operations;
    expect(outcomes.map(({ status }) => status)).toEqual(['201', '401', '401']);
  });

  it('goes on after a failure, and stops after as many as failOnErrors says', async () => {
    const taken = aPerson();
    await directory.create('Users', taken);
    const operations = [
      post('one', '/Users', taken),
      post('two', '/Users', aPerson()),
      { method: 'DELETE', path: '/Users/nobodys' },
      post('three', '/Users', aPerson()),
    ];
    expect((await bulk(operations)).map(({ status }) => status)).toEqual(['409', '201', '404', '201']);
    const other = operations.map((one) =>
      'data' in one && one.bulkId !== 'one' ? { ...one, data: aPerson() } : one,
    );
    const stopped = await bulk(other, { failOnErrors: 2 });
    expect(stopped.map(({ status }) => status)).toEqual(['409', '201', '404']);
    expect(stopped[0]?.response).toMatchObject({ status: '409', scimType: 'uniqueness' });
  });

  it('fails what refers to nothing, to itself, or to each other', async () => {
    const outcomes = await bulk([
      post('a', '/Groups', { displayName: 'A', members: [{ value: 'bulkId:b' }] }),
      post('b', '/Groups', { displayName: 'B', members: [{ value: 'bulkId:a' }] }),
      { method: 'DELETE', path: '/Users/bulkId:nothing' },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['400', '400', '400']);
  });

  it('checks versions', async () => {
    const { id } = await directory.create('Users', aPerson());
    const outcomes = await bulk([{ method: 'DELETE', path: `/Users/${id}`, version: 'W/"77"' }]);
    expect(outcomes).toMatchObject([{ status: '412' }]);
  });

  it.each([
    ['/Users', 'DELETE'],
    ['/Users/1', 'POST'],
    ['/Bulk', 'POST'],
    ['/../admin/v1/members', 'POST'],
    ['/Users/1?attributes=id', 'PUT'],
  ])('reaches nothing but users and groups: %s', async (path, method) => {
    expect(await bulk([{ method, path, bulkId: 'x', data: {} }])).toMatchObject([{ status: '400' }]);
  });

  it('refuses too many, and what is no bulk request', async () => {
    const many = Array.from({ length: 101 }, () => ({ method: 'DELETE', path: '/Users/nobodys' }));
    const refused = await directory.call('POST', 'Bulk', { Operations: many });
    expect(refused.statusCode).toBe(413);
    expect(refused.json()).toMatchObject({ status: '413', detail: expect.stringContaining('maxOperations') });
    const zeros = await directory.call('POST', 'Bulk', {
      Operations: Array.from({ length: 100_000 }, () => 0),
    });
    expect(zeros.statusCode).toBe(413);
    for (const body of [
      {},
      { Operations: [{ method: 'GET', path: '/Users' }] },
      { Operations: [{ method: 'POST', path: '/Users' }] },
    ]) {
      expect((await directory.call('POST', 'Bulk', body)).json()).toMatchObject({
        scimType: 'invalidSyntax',
      });
    }
  });

  it('announces its limits, and a body beyond them is refused', async () => {
    const provider = (await directory.call('GET', 'ServiceProviderConfig')).json<{
      bulk: { maxOperations: number; maxPayloadSize: number };
    }>();
    expect(provider.bulk).toMatchObject({ supported: true, maxOperations: 100, maxPayloadSize: 4_194_304 });
    const huge = `{"Operations":[],"x":"${'a'.repeat(provider.bulk.maxPayloadSize)}"}`;
    const response = await directory.call('POST', 'Bulk', huge);
    expect(response.statusCode).toBe(413);
    expect(response.json()).toMatchObject({ status: '413' });
  });
});
