// SQL by hand: more rows than calls can make, and the plans of what reads a page of them
import { beforeAll, describe, expect, it } from 'vitest';
import type { PageQuery } from '../../src/domain/shared/page.js';
import { PageStatements } from '../../src/storage/postgres/page-statement.js';
import { useWorld } from '../support/world.js';

/** So many that an index is worth its while, and more than are counted. */
const MANY = 20_000;
const { api, world } = useWorld();

const columns = (alias: string) => `${alias}.id, ${alias}.name, ${alias}.created_at AS "createdAt"`;
const LISTS = {
  projects: new PageStatements('test-projects', {
    select: `SELECT ${columns('t')} FROM projects t WHERE t.org_id = $1`,
    taken: 1,
    name: 'name',
  }),
  applications: new PageStatements('test-applications', {
    select: `SELECT ${columns('t')} FROM applications t WHERE t.org_id = $1 AND t.project_id = 'page000001'`,
    taken: 1,
    name: 'name',
  }),
  organizations: new PageStatements('test-organizations', {
    select: `SELECT ${columns('o')} FROM organizations o WHERE o.state <> 'removed' AND $1::text IS NOT NULL`,
    taken: 1,
    name: 'name',
  }),
};

beforeAll(async () => {
  const insert = async (text: string) => await api.sql.query(text, [world.orgId, MANY]);
  await insert(`INSERT INTO projects (id, org_id, name)
    SELECT 'page' || lpad(n::text, 6, '0'), $1, md5('project' || n) FROM generate_series(1, $2::int) n`);
  await insert(`INSERT INTO applications (id, org_id, project_id, client_id, name, kind, auth_method)
    SELECT 'app' || lpad(n::text, 6, '0'), $1, 'page000001', 'client' || n, md5('application' || n), 'oidc', 'private_key_jwt'
    FROM generate_series(1, $2::int) n`);
  await insert(`INSERT INTO organizations (id, name)
    SELECT 'org' || lpad(n::text, 6, '0'), md5('organization' || n) FROM generate_series(1, $2::int) n WHERE $1::text IS NOT NULL`);
  await api.sql.query('VACUUM ANALYZE projects, applications, organizations');
});

const ORDERS = Object.entries(LISTS).flatMap(([name, list]) =>
  [undefined, 'name'].flatMap((by) => [true, false].map((ascending) => [name, by, ascending, list] as const)),
);

describe('a page of a list', () => {
  it.each(ORDERS)(
    'of %s by %s (ascending: %s) comes from an index, and nothing is sorted',
    async (_, by, ascending, list) => {
      for (const key of [undefined, by === 'name' ? '8' : '1760000000000000']) {
        const query: PageQuery = {
          offset: 0,
          limit: 20,
          ascending,
          ...(by !== undefined && { by }),
          ...(key !== undefined && { after: { list: '', key, id: 'x' } }),
        };
        const { rows } = await api.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${list.of(query).text}`, [
          world.orgId,
          ...list.values(query),
        ]);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        // the rows of the page alone are put in their places at the end
        const sorts = [...plan.matchAll(/^\s*(?:->\s+)?Sort\b.*rows=(\d+)/gm)].map(([, count]) =>
          Number(count),
        );
        expect(Math.max(0, ...sorts), plan).toBeLessThan(100);
        expect(plan).toContain(by === 'name' ? '_by_name' : '_by_age');
      }
    },
  );

  it('counts no further than ten thousand, and tells that there are more', async () => {
    const list = LISTS.projects;
    const query: PageQuery = { offset: 0, limit: 2, ascending: true, by: 'name', list: 'mine' };
    const { rows } = await api.sql.query(list.of(query).text, [world.orgId, ...list.values(query)]);
    const page = list.page(rows as never, query, (row: Record<string, unknown>) => row['name']);
    expect(page).toMatchObject({ total: 10_000, hasMoreThanTotal: true, next: { list: 'mine' } });
    expect(page.items).toHaveLength(2);
  });
});
