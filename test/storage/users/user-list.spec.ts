import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/domain/shared/page.js';
import type { UserListQuery, UserOrder } from '../../../src/domain/users/user-list.js';
import type { User } from '../../../src/domain/users/user.js';
import { UsersStore } from '../../../src/domain/users/users.store.js';
import {
  indexStatement,
  pageStatement,
  walkStatement,
} from '../../../src/storage/postgres/users/user-list.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
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
     SELECT $2, 'many' || lpad(n::text, 6, '0'), md5('first' || n), md5('last' || n),
       'Everybody ' || CASE WHEN n <= 12000 THEN 'Oldtimer ' ELSE '' END || md5('shown' || n), md5('mail' || n) || '@mail.test'
     FROM generate_series(1, $1::int) n`,
    made,
  );
  await aUser(world, {
    userName: 'the-quagga-keeper',
    profile: {
      firstName: 'Quokka',
      lastName: 'Axolotl',
      nickName: 'Okapi',
      displayName: 'Tapir 100% of everybody',
    },
    email: { address: 'pangolin@zoo.test', verified: true },
    phone: { number: '+41791234567', verified: true },
  });
  await api.sql.query('VACUUM ANALYZE users, user_humans, service_users');
});

const ORDERS = (['createdAt', 'userName', 'displayName', 'firstName', 'lastName', 'email'] as const).flatMap(
  (by) => [true, false].map((ascending) => [by, ascending] as const),
);

/** People of another organization, of whom several have each name. */
const equals = given(async () => {
  const { orgId } = await anOrganization(api);
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, state, user_name)
     SELECT 'equal' || lpad(n::text, 3, '0'), $1, 'human', 'active', 'Equal-' || (n % 10) || '-' || n FROM generate_series(1, 40) n`,
    [orgId],
  );
  await api.sql.query(
    `INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
     SELECT $1, 'equal' || lpad(n::text, 3, '0'), 'First', CASE WHEN n % 2 = 0 THEN 'Last' ELSE 'last' END,
       chr(64 + n % 3) || 'Äöü%', 'Same' || (n % 4) || '@mail.test' FROM generate_series(1, 40) n`,
    [orgId],
  );
  return { orgId, ids: Array.from({ length: 40 }, (_, n) => `equal${String(n + 1).padStart(3, '0')}`) };
});

function keyOf(user: User, by: UserOrder): string {
  if (by === 'createdAt') return user.id;
  if (by === 'userName' || user.type === 'machine') return user.userName.toLowerCase();
  return (by === 'email' ? user.email.address : user.profile[by]).toLowerCase();
}

function oldtimers(by: UserOrder): readonly { readonly id: string; readonly key: string }[] {
  return Array.from({ length: 12_000 }, (_, index) => {
    const n = index + 1;
    const id = `many${String(n).padStart(6, '0')}`;
    const keys = {
      createdAt: id,
      userName: md5(`name${n}`),
      displayName: md5(`shown${n}`),
      firstName: md5(`first${n}`),
      lastName: md5(`last${n}`),
      email: md5(`mail${n}`),
    };
    return { id, key: keys[by] };
  });
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const ask = (query: Partial<UserListQuery>): UserListQuery => ({ words: [], limit: 20, ...query });
const afterId = (id: string): Cursor => ({ list: '', key: id, id });
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
    let after: Cursor | undefined;
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
    ['a word that everybody has and one that one has', ['everybody', 'quokka'], ['the-quagga-keeper']],
    ['a name and a user name', ['quokka', 'quagga-keeper'], ['the-quagga-keeper']],
    ['a beginning and a middle', ['qu', 'angolin'], ['the-quagga-keeper']],
    ['a word that everybody has and one that nobody has', ['everybody', 'nobody'], []],
    ['a name and a user name of two', ['quokka', md5('name7')], []],
  ])('finds by %s', async (_name, words, userNames) => {
    const found = await list({ words });
    expect(found.users.map(({ userName }) => userName)).toEqual(userNames);
    expect(found.counted).toBe(userNames.length);
  });

  it('counts a word that everybody has to ten thousand and one, and goes through all who have it', async () => {
    const first = await list({ words: ['everybody'], limit: 3 });
    expect(first.counted).toBe(10_001);
    const second = await list({ words: ['everybody'], limit: 3, after: first.next });
    expect(second.counted).toBe(10_001);
    const ids = [...first.users, ...second.users].map(({ id }) => id);
    expect(ids).toEqual((await list({ words: ['everybody'], limit: 6 })).users.map(({ id }) => id));
    const last = await list({ words: ['everybody'], after: afterId('many000003') });
    expect(last.users.slice(0, 2).map(({ id }) => id)).toEqual(['many000002', 'many000001']);
    expect(last.users.slice(2).map(({ userName }) => userName)).toEqual(['the-quagga-keeper']);
    expect(last.next).toBeUndefined();
  });

  it('finds those who have a word and a state or a type', async () => {
    expect(await listed({ words: ['quokka'], state: 'active', type: 'human' })).toEqual([
      'the-quagga-keeper',
    ]);
    expect(await listed({ words: ['quokka'], state: 'locked' })).toEqual([]);
    expect(await listed({ words: ['quokka'], type: 'machine' })).toEqual([]);
    expect((await list({ words: ['everybody'], state: 'active' })).counted).toBe(10_001);
    expect(await listed({ state: 'locked' })).toEqual([]);
  });

  it('finds service users among many people', async () => {
    const { userId } = await aServiceUser(world, 'ORG_OWNER');
    const { users } = await list({ words: [userId] });
    const name = users[0]?.userName ?? '';
    for (const words of [[], [name], [name.slice(0, 4)], [userId]]) {
      const found = await list({ words, type: 'machine' });
      expect([found.users.map(({ id }) => id), found.counted]).toEqual([[userId], 1]);
    }
  });

  it('finds a middle that many have, none of the newest among them', async () => {
    const { users, next, counted } = await list({ words: ['oldtimer'], limit: 2 });
    expect(users.map(({ id }) => id)).toEqual(['many012000', 'many011999']);
    expect([next?.id, counted]).toEqual(['many011999', 10_001]);
  });

  it('finds one by a whole login name or address, however many end like it', async () => {
    const { userId } = await aUser(world, {
      userName: 'eve',
      email: { address: 'eve@mail.test', verified: false },
    });
    const names = ['steve', 'maeve'];
    for (const name of names) {
      await aUser(world, { userName: name, email: { address: `${name}@mail.test`, verified: true } });
    }
    for (const word of [
      `eve@${world.domain}`,
      `EVE@${world.domain.toUpperCase()}`,
      'eve@mail.test',
      'Eve@Mail.Test',
    ]) {
      const { users, counted } = await list({ words: [word] });
      expect([users.map(({ id }) => id), counted]).toEqual([[userId], 1]);
    }
    expect(await listed({ words: [`eve@${world.domain}`, 'nobody'] })).toEqual([]);
    expect(await listed({ words: [`eve@${world.domain}`], after: afterId(userId) })).toEqual([]);
    expect(await listed({ words: [`teve@${world.domain.slice(0, 4)}`] })).toEqual(['steve']);
    expect(await listed({ words: [`ev@${world.domain}`] })).toEqual([]);
    expect(await listed({ words: ['%ve@mail.test'] })).toEqual([]);
    const other = await anOrganization(api);
    const { users } = await api.app
      .get(UsersStore)
      .list(other.orgId, ask({ words: [`eve@${world.domain}`] }));
    expect(users).toEqual([]);
  });

  it.each([
    ['a page', {}],
    ['a page after another', { after: afterId('many020000') }],
    ['those of a state', { state: 'locked' as const }],
  ])('reads no table as a whole for %s', async (_name, query) => {
    await expectNoSequentialScan(pageStatement({ ...ask(query), orgId: world.orgId, words: [] }, 21));
  });

  it.each(ORDERS)('reads a page by %s %s from an index, and sorts no organization', async (by, ascending) => {
    const people =
      by === 'createdAt' || by === 'userName' ? [undefined, 'human' as const] : ['human' as const];
    for (const type of people) {
      for (const after of [undefined, { list: '', key: 'many015000', id: 'many015000' }]) {
        const search = { ...ask({ by, ascending, type, after }), orgId: world.orgId, words: [] };
        await expectIndexOrder(pageStatement(search, 21));
      }
    }
  });

  it.each(ORDERS)('goes through all by %s %s once, also where many are equal', async (by, ascending) => {
    const { orgId, ids } = equals;
    const seen: { readonly id: string; readonly key: string }[] = [];
    let after: Cursor | undefined;
    for (let pages = 0; pages < 20; pages += 1) {
      const query = ask({ by, ascending, type: 'human', after, limit: 7, list: 'mine' });
      const { users, next, counted } = await api.app.get(UsersStore).list(orgId, query);
      expect(counted).toBe(ids.length);
      seen.push(...users.map((user) => ({ id: user.id, key: keyOf(user, by) })));
      if (next !== undefined) expect(next).toMatchObject({ list: 'mine', id: users.at(-1)?.id });
      after = next;
      if (after === undefined) break;
    }
    expect(seen.map(({ id }) => id).toSorted()).toEqual(ids);
    const up = seen.toSorted((a, b) => compare(a.key, b.key) || compare(a.id, b.id));
    expect(seen).toEqual(ascending ? up : up.toReversed());
  });

  it.each(ORDERS)('finds words by %s %s as it finds them by age', async (by, ascending) => {
    const asked = { by, ascending, type: 'human', limit: 5 } as const;
    const rare = await list({ ...asked, words: ['quokka'] });
    expect([rare.users.map(({ userName }) => userName), rare.counted]).toEqual([['the-quagga-keeper'], 1]);
    // many have it, none of the newest among them
    const many = await list({ ...asked, words: ['oldtimer'] });
    expect(many.counted).toBe(10_001);
    const expected = oldtimers(by).toSorted((a, b) => compare(a.key, b.key));
    const first = (ascending ? expected : expected.toReversed()).slice(0, 10).map(({ id }) => id);
    const second = await list({ ...asked, words: ['oldtimer'], after: many.next });
    expect([...many.users, ...second.users].map(({ id }) => id)).toEqual(first);
  });

  it('puts service users in the order of their names', async () => {
    const { orgId } = await anOrganization(api);
    await api.sql.query(
      `INSERT INTO users (id, org_id, kind, user_name) SELECT 'robot' || n, $1, 'machine', 'robot-' || n FROM generate_series(1, 9) n`,
      [orgId],
    );
    await api.sql.query(
      `INSERT INTO service_users (user_id, org_id, name, access_token_type)
       SELECT 'robot' || n, $1, CASE WHEN n % 2 = 0 THEN 'Beta' ELSE 'alpha' END, 'opaque' FROM generate_series(1, 9) n`,
      [orgId],
    );
    const seen: string[] = [];
    let after: Cursor | undefined;
    do {
      const query = ask({ by: 'displayName', ascending: true, type: 'machine', after, limit: 4 });
      const { users, next } = await api.app.get(UsersStore).list(orgId, query);
      seen.push(...users.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen.map((id) => id.slice(5)).join('')).toBe('135792468');
  });

  it.each([
    ['a word', 'quokka', []],
    ['a word, and one that everybody has', 'quokka', ['everybody']],
    ['a beginning', 'qu', []],
    ['a number', '0791234567', []],
  ])('reads no table as a whole for %s', async (_name, text, others) => {
    const driver = { text };
    const search = {
      ...ask({}),
      orgId: world.orgId,
      words: [driver, ...others.map((other) => ({ text: other }))],
    };
    await expectNoSequentialScan(walkStatement(search, 1000));
    await expectNoSequentialScan(indexStatement(search, driver, 21));
  });
});

const listed = async (query: Partial<UserListQuery>) =>
  (await list(query)).users.map(({ userName }) => userName);

/** A sort that goes on from an index takes a few rows at a time. */
async function expectIndexOrder(statement: { readonly text: string; readonly values: readonly unknown[] }) {
  expect(await planOf(statement)).not.toMatch(/Seq Scan|^\s*(?:->\s+)?Sort\b(?! Key)/m);
}

async function expectNoSequentialScan(statement: {
  readonly text: string;
  readonly values: readonly unknown[];
}) {
  expect(await planOf(statement)).not.toMatch(/Seq Scan on (users|user_humans)/);
}

async function planOf({
  text,
  values,
}: {
  readonly text: string;
  readonly values: readonly unknown[];
}): Promise<string> {
  const client = await api.sql.connect();
  try {
    await client.query(`SET plan_cache_mode = force_custom_plan`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    client.release();
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
