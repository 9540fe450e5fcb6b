// SQL by hand: more role assignments than calls can make, and the plans of what reads a page of them
import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectId, UserId } from '../../../src/domain/shared/ids.js';
import type { PageQuery } from '../../../src/domain/shared/page.js';
import type { Tx } from '../../../src/domain/shared/unit-of-work.js';
import { PgRoleAssignmentsStore } from '../../../src/storage/postgres/role-assignments/role-assignments.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import type { Row, Statement } from '../../../src/storage/postgres/statement.js';
import { useWorld } from '../../support/world.js';

/** So many that an index is worth its while, and more than are counted. */
const MANY = 20_000;
const [HELD, ALSO] = ['held' as ProjectId, 'also' as ProjectId];
const { api, world } = useWorld();

/** Keeps what it sent last. */
class Watched extends Sql {
  sent: { readonly text: string; readonly values: readonly unknown[] } | undefined;

  override async rows<T extends Row>({ name, text }: Statement, values: readonly unknown[], tx?: Tx) {
    this.sent = { text, values };
    return await super.rows<T>({ name, text }, values, tx);
  }
}

let sql: Watched;
let store: PgRoleAssignmentsStore;

beforeAll(async () => {
  const insert = async (text: string) => await api.sql.query(text, [world.orgId, MANY]);
  await insert(`INSERT INTO users (id, org_id, kind, state, user_name)
    SELECT 'user' || lpad(n::text, 6, '0'), $1, 'human', 'active', 'user' || n FROM generate_series(1, $2::int) n`);
  await insert(`INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
    SELECT $1, 'user' || lpad(n::text, 6, '0'), 'f', 'l', md5('name' || n), 'u' || n || '@mail.test' FROM generate_series(1, $2::int) n`);
  await insert(`INSERT INTO projects (id, org_id, name)
    SELECT id, $1, id FROM unnest(ARRAY['${HELD}', '${ALSO}']) id WHERE $2::int > 0`);
  await insert(`INSERT INTO project_roles (org_id, project_id, key, display_name)
    SELECT $1, p, key, key FROM unnest(ARRAY['${HELD}', '${ALSO}']) p, unnest(ARRAY['usual', 'rare']) key WHERE $2::int > 0`);
  await insert(`INSERT INTO role_assignments (id, org_id, user_id, project_id, project_org_id, created_at)
    SELECT p || n, $1, 'user' || lpad(n::text, 6, '0'), p, $1, timestamptz '2026-01-01' + n * interval '1 second'
    FROM unnest(ARRAY['${HELD}', '${ALSO}']) p, generate_series(1, $2::int) n`);
  await insert(`INSERT INTO role_assignment_roles (role_assignment_id, project_id, role_key)
    SELECT id, project_id, CASE WHEN right(id, 4) = '0000' THEN 'rare' ELSE 'usual' END
    FROM role_assignments WHERE org_id = $1 AND $2::int > 0`);
  await api.sql.query('VACUUM ANALYZE users, user_humans, role_assignments, role_assignment_roles');
  sql = new Watched(api.app.get(DataSource));
  store = new PgRoleAssignmentsStore(sql);
});

async function pageOf(query: Partial<PageQuery>) {
  const asked = { offset: 0, limit: 20, ascending: true, ...query };
  const page = await store.listOfProject(world.orgId, HELD, asked);
  if (page === undefined || sql.sent === undefined) throw new Error('the project is there');
  const { text, values } = sql.sent;
  const { rows } = await api.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
  return { page, plan: rows.map((row) => row['QUERY PLAN']).join('\n') };
}

/** Of how many rows the plan sorts at most. */
function sorted(plan: string): number {
  const sorts = [...plan.matchAll(/^\s*(?:->\s+)?(?:Incremental )?Sort\b.*rows=(\d+)/gm)];
  return Math.max(0, ...sorts.map(([, count]) => Number(count)));
}

describe('who holds roles of a project', () => {
  it.each([true, false])('comes from an index, and nothing is sorted (ascending: %s)', async (ascending) => {
    const { page, plan } = await pageOf({ ascending });
    expect(sorted(plan), plan).toBeLessThan(100);
    expect(plan).toMatch(/role_assignments_by_project\b/);
    expect(page).toMatchObject({ total: 10_000, hasMoreThanTotal: true });
    const { page: after, plan: planAfter } = await pageOf({
      ascending,
      ...(page.next && { after: page.next }),
    });
    expect(sorted(planAfter), planAfter).toBeLessThan(100);
    expect(planAfter).toMatch(/role_assignments_by_project\b/);
    const numbers = [...page.items, ...after.items].map(({ id }) => Number(id.slice(HELD.length)));
    const expected = Array.from({ length: 40 }, (_, n) => (ascending ? n + 1 : MANY - n));
    expect(numbers).toEqual(expected);
  });

  it('is found by a rare role and by user without a look at the others', async () => {
    const { page: rare, plan } = await pageOf({ filters: { roleKey: 'rare' } });
    expect(rare).toMatchObject({ total: 2, items: [{ id: `${HELD}10000` }, { id: `${HELD}20000` }] });
    expect(plan, plan).not.toContain('Seq Scan on role_assignment');
    const userId = 'user000777' as UserId;
    const { page: one, plan: byUser } = await pageOf({ filters: { userId } });
    expect(one).toMatchObject({ total: 1, items: [{ id: `${HELD}777`, userId }] });
    expect(byUser).toContain('role_assignments_once');
    const { page: usual } = await pageOf({ filters: { roleKey: 'usual' }, limit: 3 });
    expect(usual.total).toBe(10_000);
    expect(usual.items.map(({ roleKeys }) => roleKeys)).toEqual([['usual'], ['usual'], ['usual']]);
  });
});
