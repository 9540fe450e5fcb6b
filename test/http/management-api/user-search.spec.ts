import { beforeAll, describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let ids: Readonly<Record<'ada' | 'grace' | 'joan' | 'percent', string>>;

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(async () => {
  const add = async (userName: string, firstName: string, lastName: string) =>
    (
      await aUser(world, {
        userName,
        profile: { firstName, lastName, displayName: `${firstName} ${lastName}` },
        email: { address: `${userName}@mail.test`, verified: true },
      })
    ).userId;
  ids = {
    ada: await add('Ada.L', 'Ada', 'Lovelace'),
    grace: await add('grace.h', 'Grace', 'Hopper'),
    joan: await add('joan.c', 'Joan', 'Clarke'),
    percent: await add('a_b%c', 'A_b', '100%'),
  };
  await aUser(await anOrganization(api), { userName: 'grace.h' });
});

async function search(body: object) {
  const response = await owner.call('POST', 'users/_search', body);
  return { status: response.statusCode, ...response.json<{ message: string } & Found>() };
}
interface Found {
  readonly details: { readonly totalResult: string };
  readonly result: readonly { readonly id: string }[];
}

const found = async (...queries: object[]) =>
  (await search({ queries, query: { asc: true } })).result.map(({ id }) => id);

describe('searching users', () => {
  it.each([
    ['userNameQuery', { userName: 'grace.h' }, ['grace']],
    ['userNameQuery', { userName: 'GRACE.H' }, []],
    ['userNameQuery', { userName: 'GRACE.H', method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' }, ['grace']],
    ['userNameQuery', { userName: 'Ada', method: 'TEXT_QUERY_METHOD_STARTS_WITH' }, ['ada']],
    ['userNameQuery', { userName: 'ada', method: 'TEXT_QUERY_METHOD_STARTS_WITH' }, []],
    ['userNameQuery', { userName: 'ada', method: 'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE' }, ['ada']],
    ['userNameQuery', { userName: 'a_', method: 'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE' }, ['percent']],
    ['lastNameQuery', { lastName: '%', method: 'TEXT_QUERY_METHOD_CONTAINS' }, ['percent']],
    ['firstNameQuery', { firstName: 'Joan' }, ['joan']],
    ['displayNameQuery', { displayName: 'Hopper', method: 'TEXT_QUERY_METHOD_ENDS_WITH' }, ['grace']],
    ['emailQuery', { emailAddress: 'joan.c@mail', method: 'TEXT_QUERY_METHOD_STARTS_WITH' }, ['joan']],
    ['emailQuery', { email_address: 'joan.c@mail.test' }, ['joan']],
  ] as const)('%s %j finds %j', async (name, query, names) => {
    expect(await found({ [name]: query })).toEqual(names.map((key) => ids[key]));
  });

  it('finds users by ids, those alone that are in the organization', async () => {
    const userIds = [ids.joan, ids.ada, 'nobody'];
    expect(new Set(await found({ inUserIdsQuery: { userIds } }))).toEqual(new Set([ids.ada, ids.joan]));
    expect(await found({ inUserIdsQuery: { userIds } }, { firstNameQuery: { firstName: 'Ada' } })).toEqual([
      ids.ada,
    ]);
    const elsewhere = await aUser(await anOrganization(api));
    expect(await found({ inUserIdsQuery: { userIds: [elsewhere.userId] } })).toEqual([]);
  });

  it.each([[[]], [Array.from({ length: 101 }, (_, at) => `user-${at}`)], ['ada']])(
    'refuses too few, too many and no list of ids',
    async (userIds) => {
      expect((await search({ queries: [{ inUserIdsQuery: { userIds } }] })).status).toBe(400);
    },
  );

  it('finds login names, with and without their domain', async () => {
    const loginName = `grace.h@${world.domain}`;
    expect(await found({ loginNameQuery: { loginName } })).toEqual([ids.grace]);
    expect(await found({ loginNameQuery: { loginName: 'grace.h' } })).toEqual([]);
    for (const part of ['grace', 'grace.h@', loginName.slice(0, -2)]) {
      const query = { loginName: part, method: 'TEXT_QUERY_METHOD_STARTS_WITH' };
      expect(await found({ loginNameQuery: query })).toEqual([ids.grace]);
    }
    const everybody = { loginName: `@${world.domain}`, method: 'TEXT_QUERY_METHOD_CONTAINS' };
    expect(await found({ loginNameQuery: everybody })).toHaveLength(5);
  });

  it('filters by state and type, and by several conditions at once', async () => {
    expect(await found({ typeQuery: { type: 'TYPE_MACHINE' } })).toEqual([owner.userId]);
    expect(await found({ typeQuery: { type: 'TYPE_HUMAN' } })).toHaveLength(4);
    await owner.call('POST', `users/${ids.joan}/_lock`);
    expect(await found({ stateQuery: { state: 'USER_STATE_LOCKED' } })).toEqual([ids.joan]);
    expect(
      await found({ stateQuery: { state: 'USER_STATE_LOCKED' } }, { userNameQuery: { userName: 'grace.h' } }),
    ).toEqual([]);
  });

  it('pages in one stable order, counts the whole, and shows what GET shows', async () => {
    const all = await search({ query: { asc: true } });
    expect(all.details).toMatchObject({ totalResult: '5', viewTimestamp: expect.any(String) as string });
    const pages = [];
    for (const offset of ['0', '2', '4', '6']) {
      pages.push(...(await search({ query: { offset, limit: 2, asc: true } })).result);
    }
    expect(pages).toEqual(all.result);
    expect((await search({})).result).toEqual(all.result.toReversed());
    const one = await owner.call('GET', `users/${ids.ada}`);
    expect(all.result).toContainEqual(one.json<{ user: object }>().user);
  });

  it('finds nobody who was deleted', async () => {
    const { userId } = await aUser(world, { userName: 'to-be-deleted' });
    await owner.call('DELETE', `users/${userId}`);
    expect(await found({ userNameQuery: { userName: 'to-be-deleted' } })).toEqual([]);
    expect(await found({ userNameQuery: { userName: userId } })).toEqual([]);
  });

  it.each([
    [{ query: { limit: 1001 } }],
    [{ query: { offset: -1 } }],
    [{ queries: [{ passwordQuery: { password: 'x' } }] }],
    [{ queries: [{ userNameQuery: { userName: 'x', method: 'REGEX' } }] }],
    [{ queries: [{ userNameQuery: { userName: 'x', org: 'y' } }] }],
    [{ queries: [{ userNameQuery: { userName: 'x' }, emailQuery: { emailAddress: 'x' } }] }],
    [{ queries: [{ userNameQuery: { userName: 'a\u0000b' } }] }],
    [{ queries: Array.from({ length: 21 }, () => ({ userNameQuery: { userName: 'x' } })) }],
    [{ resourceOwner: 'x' }],
  ])('refuses %j', async (body) => {
    expect((await search(body)).status).toBe(400);
  });

  it('reads by an index what a million users must not be scanned for', async () => {
    const { orgId } = await anOrganization(api);
    const client = await api.sql.connect();
    try {
      await client.query(
        `INSERT INTO users (id, org_id, kind, user_name)
         SELECT 'many-' || n, $1, 'human', 'name-' || n FROM generate_series(1, 5000) n`,
        [orgId],
      );
      await client.query(
        `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email)
         SELECT 'many-' || n, $1, 'first-' || n, 'last-' || n, 'shown-' || n, n || '@mail.test'
         FROM generate_series(1, 5000) n`,
        [orgId],
      );
      await client.query(`ANALYZE users, user_humans`);
      for (const [table, column, index] of [
        ['users', 'user_name', 'users_search_name'],
        ['user_humans', 'email', 'user_humans_search_email'],
        ['user_humans', 'last_name', 'user_humans_search_last_name'],
        ['user_humans', 'first_name', 'user_humans_search_first_name'],
        ['user_humans', 'display_name', 'user_humans_search_display_name'],
      ]) {
        for (const condition of [`lower(${column}) = lower('Ada')`, `lower(${column}) LIKE lower('Ada%')`]) {
          const { rows } = await client.query<{ 'QUERY PLAN': string }>(
            `EXPLAIN SELECT FROM ${table} WHERE org_id = '${orgId}' AND ${condition}`,
          );
          expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index);
        }
      }
    } finally {
      client.release(true);
    }
  });
});
