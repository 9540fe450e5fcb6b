import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import type { AnyOf, TextFilter, UserCondition, UserFilter } from '../../../src/domain/users/user-filter.js';
import { UsersStore } from '../../../src/domain/users/users.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { searchStatements, UserSearch } from '../../../src/storage/postgres/users/user-search.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

/** So many that an index is worth its while, in the organization and in the table. */
const USERS = 30_000;
const PAGE = { offset: 0, limit: 20, ascending: true };

const { api, world } = useWorld();
beforeAll(async () => {
  const made = [USERS, world.orgId];
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, state, user_name)
     SELECT 'many' || n, $2, 'human', 'active', md5('name' || n) FROM generate_series(1, $1::int) n`,
    made,
  );
  await api.sql.query(
    `INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
     SELECT $2, 'many' || n, md5('first' || n), md5('last' || n), md5('shown' || n), md5('mail' || n) || '@mail.test'
     FROM generate_series(1, $1::int) n`,
    made,
  );
  await aUser(world, {
    userName: 'the-quagga-keeper',
    profile: { firstName: 'Quokka', lastName: 'Axolotl', nickName: 'Okapi', displayName: 'Tapir 100%' },
    email: { address: 'pangolin@zoo.test', verified: true },
  });
  await api.sql.query('VACUUM ANALYZE users, user_humans');
});

const contains = (field: TextFilter['field'], value: string, ignoreCase = false): TextFilter => ({
  field,
  value,
  ignoreCase,
  method: 'contains',
});

/** The plans of both statements, made as the store has them made. */
async function plansOf(filter: UserFilter): Promise<readonly string[]> {
  const client = await api.sql.connect();
  try {
    await client.query("SET plan_cache_mode = 'force_custom_plan'");
    const { found, count } = searchStatements(world.orgId, [filter], PAGE);
    const plans: string[] = [];
    for (const { text, values } of [found, count]) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  } finally {
    await client.query('RESET plan_cache_mode');
    client.release();
  }
}

describe('searching users by what their names contain', () => {
  it.each([
    ['userName', 'quagga', 'users_search_inside'],
    ['firstName', 'uokk', 'user_humans_search_inside'],
    ['lastName', 'xolotl', 'user_humans_search_inside'],
    ['nickName', 'kapi', 'user_humans_search_inside'],
    ['displayName', 'apir 100%', 'user_humans_search_inside'],
    ['email', 'golin@zoo', 'user_humans_search_inside'],
  ] as const)('%s %j reads the index, not the table', async (field, value, index) => {
    for (const plan of await plansOf(contains(field, value))) {
      expect(plan).toContain(`Bitmap Index Scan on ${index}`);
      expect(plan).not.toContain('Seq Scan on user');
    }
    const exact = [contains(field, value)];
    expect((await api.app.get(UsersStore).search(world.orgId, exact, PAGE)).total).toBe(1);
    const loud = contains(field, value.toUpperCase());
    expect((await api.app.get(UsersStore).search(world.orgId, [loud], PAGE)).total).toBe(0);
    const either = { ...loud, ignoreCase: true };
    expect((await api.app.get(UsersStore).search(world.orgId, [either], PAGE)).total).toBe(1);
  });

  it('does not take one field for another, and finds what is too short for the index', async () => {
    const search = async (filter: UserFilter) =>
      (await api.app.get(UsersStore).search(world.orgId, [filter], PAGE)).total;
    expect(await search(contains('lastName', 'Quokka'))).toBe(0);
    expect(await search(contains('displayName', '0%'))).toBe(1);
    expect(await search(contains('firstName', 'Qu'))).toBe(1);
  });

  it('reads the index of beginnings for a beginning', async () => {
    for (const plan of await plansOf({ ...contains('displayName', 'Tap'), method: 'starts-with' })) {
      expect(plan).toContain('user_humans_search_display_name');
    }
  });
});

describe('searching users by alternatives', () => {
  const is = (condition: UserCondition, negated = false) => ({ condition, negated });
  const text = (field: TextFilter['field'], method: 'equals' | 'starts-with', value: string) =>
    is({ field, method, value, ignoreCase: true });
  const inactive = is({ field: 'active', value: false });
  const search = async (value: AnyOf<UserCondition>) =>
    (await api.app.get(UsersStore).search(world.orgId, [{ field: 'anyOf', value }], PAGE)).total;
  const found: AnyOf<UserCondition> = [
    [text('userName', 'starts-with', 'the-quagga')],
    [text('displayName', 'equals', 'tapir 100%'), is({ field: 'active', value: true })],
    [text('firstName', 'equals', 'quokka')],
    [text('lastName', 'starts-with', 'axo'), is({ field: 'type', value: 'machine' }, true)],
    [text('email', 'equals', 'pangolin@zoo.test')],
    [is({ field: 'id', values: ['many1' as UserId, 'many2' as UserId] })],
    [is({ field: 'signInName', value: 'the-quagga-keeper' })],
    [is({ field: 'externalId', value: 'nobodys' })],
  ];

  it('reads the index of each, and never the table', async () => {
    for (const plan of await plansOf({ field: 'anyOf', value: found })) {
      expect(plan).not.toContain('Seq Scan on user');
      for (const index of ['display_name', 'first_name', 'last_name', 'email']) {
        expect(plan).toContain(`user_humans_search_${index}`);
      }
    }
    expect(await search(found)).toBe(3);
  });

  it('walks through the users once for all that no index helps with', async () => {
    const walked: AnyOf<UserCondition> = [
      [inactive],
      [is({ field: 'id', values: ['many1' as UserId] }, true), inactive],
      [is({ field: 'state', value: 'locked' })],
      [text('nickName', 'equals', 'nobody')],
      [text('nickName', 'starts-with', 'nob')],
    ];
    const scans = (plan: string) => plan.match(/Seq Scan on users/g)?.length ?? 0;
    for (const plan of await plansOf({ field: 'anyOf', value: [...walked, ...found] })) {
      expect(scans(plan)).toBeLessThanOrEqual(1);
    }
    expect(await search([...walked, ...found])).toBe(3);
  });

  it('finds nobody without any, and everybody else by what is denied', async () => {
    expect(await search([])).toBe(0);
    const all = await search([[]]);
    const keeper = text('nickName', 'equals', 'okapi').condition;
    // most have no nick name at all
    expect(await search([[is(keeper, true)]])).toBe(all - 1);
    expect(await search([[is(keeper), is(keeper, true)]])).toBe(0);
  });
});

/** A search that has hardly any time. */
class HurriedSearch extends UserSearch {
  protected override readonly longestMs = 1;
}

it('ends a search that takes too long, and says so', async () => {
  const hurried = new HurriedSearch(api.app.get(Sql));
  const filter = { ...contains('email', 'nowhere', true), method: 'ends-with' } as const;
  await expect(hurried.search(world.orgId, [filter], PAGE)).rejects.toMatchObject({
    kind: 'resource-exhausted',
    message: 'The search took too long: ask for beginnings, or for more that is known (QUERY-t6Rw3)',
  });
  // the connection goes back without the hurry
  expect((await api.app.get(UsersStore).search(world.orgId, [filter], PAGE)).total).toBe(0);
});
