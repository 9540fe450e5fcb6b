// SQL by hand: a crowd of people, whom calls would take minutes to add
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/domain/shared/page.js';
import type { UserListQuery } from '../../../src/domain/users/user-list.js';
import { UsersStore } from '../../../src/domain/users/users.store.js';
import { given } from '../../support/given.js';
import { anOrganization, useWorld } from '../../support/world.js';

// People in the order of a name that most of them have.

const { api } = useWorld();
/** So many have one last name that those are not sorted; a few come before them and behind them, a few are active. */
const CROWD = 15_000;
const crowd = given(async () => {
  const { orgId } = await anOrganization(api);
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, state, user_name)
     SELECT 'crowd' || lpad(n::text, 6, '0'), $1, 'human', CASE WHEN n % 1000 IN (0, 2) THEN 'active' ELSE 'initial' END, 'crowd-' || n
     FROM generate_series(1, $2::int) n`,
    [orgId, CROWD],
  );
  await api.sql.query(
    `INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
     SELECT $1, 'crowd' || lpad(n::text, 6, '0'), 'First',
       CASE n % 50 WHEN 0 THEN 'A' || n % 7 WHEN 1 THEN 'Z' || n % 7 ELSE 'Many' END, 'Crowd', 'crowd-' || n || '@mail.test'
     FROM generate_series(1, $2::int) n`,
    [orgId, CROWD],
  );
  await api.sql.query('VACUUM ANALYZE users, user_humans');
  const nameOf = (n: number) => (n % 50 === 0 ? `a${n % 7}` : n % 50 === 1 ? `z${n % 7}` : 'many');
  const people = Array.from({ length: CROWD }, (_, index) => index + 1)
    .map((n) => ({ n, key: nameOf(n), id: `crowd${String(n).padStart(6, '0')}` }))
    .toSorted((a, b) => compare(a.key, b.key) || compare(a.id, b.id));
  return { orgId, people };
});

const ask = (query: Partial<UserListQuery>): UserListQuery => ({ words: [], limit: 20, ...query });

describe('a list of people of whom most have one name', () => {
  it.each([
    ['all', true, undefined, 4000],
    ['all', false, undefined, 4000],
    ['the active', true, 'active', 7],
    ['the active', false, 'active', 7],
  ] as const)(
    'goes through %s once where a crowd has one name, ascending %s',
    async (_, ascending, state, limit) => {
      const { orgId, people } = crowd;
      const among = people.filter(({ n }) => state === undefined || [0, 2].includes(n % 1000));
      const seen: string[] = [];
      let after: Cursor | undefined;
      do {
        const query = ask({ by: 'lastName', ascending, type: 'human', state, after, limit });
        const { users, next } = await api.app.get(UsersStore).list(orgId, query);
        seen.push(...users.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      const expected = among.map(({ id }) => id);
      expect(seen).toEqual(ascending ? expected : expected.toReversed());
    },
  );
});

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
