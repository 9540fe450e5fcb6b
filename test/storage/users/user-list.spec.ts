import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import type { UserListQuery } from '../../../src/domain/users/user-list.js';
import { UsersStore } from '../../../src/domain/users/users.store.js';
import { listStatements } from '../../../src/storage/postgres/users/user-list.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

/** So many that an index is worth its while, and more than are counted. */
const USERS = 30_000;

const { api, world } = useWorld();
beforeAll(async () => {
  const made = [USERS, world.orgId];
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, state, user_name)
     SELECT 'many' || lpad(n::text, 6, '0'), $2, 'human', 'active', md5('name' || n) FROM generate_series(1, $1::int) n`,
    made,
  );
  await api.sql.query(
    `INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
     SELECT $2, 'many' || lpad(n::text, 6, '0'), md5('first' || n), md5('last' || n), md5('shown' || n),
       md5('mail' || n) || '@mail.test'
     FROM generate_series(1, $1::int) n`,
    made,
  );
  await aUser(world, {
    userName: 'the-quagga-keeper',
    profile: { firstName: 'Quokka', lastName: 'Axolotl', nickName: 'Okapi', displayName: 'Tapir 100%' },
    email: { address: 'pangolin@zoo.test', verified: true },
    phone: { number: '+41791234567', verified: true },
  });
  await api.sql.query('VACUUM ANALYZE users, user_humans, service_users');
});

const ask = (query: Partial<UserListQuery>): UserListQuery => ({ words: [], limit: 20, ...query });
const list = async (query: Partial<UserListQuery>) =>
  await api.app.get(UsersStore).list(world.orgId, ask(query));

describe('the list of users', () => {
  it.each([
    'quokka',
    'AXOL',
    'kapi',
    'tapir',
    '100%',
    'pangolin@zoo',
    'zoo.test',
    'quagga',
    'the-quagga-keeper',
    '+41791234567',
    '0791234567',
    '1234567',
  ])('finds by %s, wherever it stands', async (word) => {
    const { users } = await list({ words: [word] });
    expect(users.map(({ userName }) => userName)).toEqual(['the-quagga-keeper']);
  });

  it.each(['qu', 'T', 'ax'])('finds by the beginning %s of a name', async (word) => {
    const { users } = await list({ words: [word] });
    expect(users.map(({ userName }) => userName)).toContain('the-quagga-keeper');
  });

  it('holds all words against all fields, and a wildcard against itself', async () => {
    expect((await list({ words: ['quokka', 'zoo'] })).users).toHaveLength(1);
    expect((await list({ words: ['quokka', 'nobody'] })).users).toEqual([]);
    expect((await list({ words: ['%'] })).users).toEqual([]);
    expect((await list({ words: ['qu_kka'] })).users).toEqual([]);
  });

  it('finds by an id, and nothing of another organization', async () => {
    const { users } = await list({ words: ['many000007'] });
    expect(users.map(({ id }) => id)).toEqual(['many000007']);
    const other = await anOrganization(api);
    const { users: none } = await api.app.get(UsersStore).list(other.orgId, ask({ words: ['many000007'] }));
    expect(none).toEqual([]);
    expect((await api.app.get(UsersStore).list(other.orgId, ask({ words: ['quokka'] }))).users).toEqual([]);
  });

  it('goes through all of them once, page by page, newest first', async () => {
    const seen: string[] = [];
    let after: UserId | undefined;
    for (let page = 0; page < 5; page += 1) {
      const { users, next } = await list({ after, limit: 100 });
      seen.push(...users.map(({ id }) => id));
      after = next;
    }
    expect(new Set(seen).size).toBe(500);
    expect([...seen].sort().toReversed()).toEqual(seen);
  });

  it('ends where there is no more', async () => {
    const { users, next } = await list({ words: ['many000001'] });
    expect(users).toHaveLength(1);
    expect(next).toBeUndefined();
  });

  it('counts to ten thousand and one, and exactly below', async () => {
    expect((await list({})).counted).toBe(10_001);
    expect((await list({ words: ['quokka'] })).counted).toBe(1);
    expect((await list({ state: 'locked' })).counted).toBe(0);
  });

  it.each([
    ['a page', {}],
    ['a page after another', { after: 'many020000' as UserId }],
    ['a word', { words: ['quokka'] }],
    ['two words', { words: ['quokka', 'zoo.test'] }],
    ['a beginning', { words: ['qu'] }],
  ] as const)('reads no table as a whole for %s', async (_name, query) => {
    const { page } = listStatements(world.orgId, ask(query));
    const client = await api.sql.connect();
    try {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${page.text}`, [...page.values]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/Seq Scan on (users|user_humans)/);
    } finally {
      client.release();
    }
  });
});
