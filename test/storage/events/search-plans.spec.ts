import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPE_NAMES } from '../../../src/domain/events/event-types.js';
import type { EventFilter } from '../../../src/domain/events/events.store.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import { eventsStatement } from '../../../src/storage/postgres/events/events-statement.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

/** Each condition has its index, in the order of the pages, and months outside of the time asked for are not opened. */
let database: TestDatabase;
let pool: pg.Pool;

const MONTHS = ['2020_01', '2020_02', '2020_03', '2020_04'];

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
  for (const [index, month] of MONTHS.entries()) {
    await pool.query(
      `CREATE TABLE events_${month} PARTITION OF events
       FOR VALUES FROM ('2020-0${index + 1}-01Z') TO ('2020-0${index + 2}-01Z')`,
    );
  }
  // 40 organizations, 200 actors, 4,000 things, one type far more frequent than all others
  await pool.query(
    `INSERT INTO events (created_at, org_id, aggregate_type, aggregate_id, sequence, type, actor_id)
     SELECT '2020-01-01Z'::timestamptz + n * interval '85 seconds', 'org-' || n % 40, split_part(type, '.', 1),
       'thing-' || n % 4000, 1, type, CASE WHEN n % 7 < 6 THEN 'actor-' || n % 200 END
     FROM generate_series(0, 119999) n, LATERAL (
       SELECT CASE WHEN n % 10 < 9 THEN 'user.human.imported' ELSE ($1::text[])[1 + n / 10 % $2::integer] END AS type) t`,
    [EVENT_TYPE_NAMES, EVENT_TYPE_NAMES.length],
  );
  await pool.query('VACUUM ANALYZE events');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(filter: EventFilter, ascending = false, from?: string): Promise<readonly PlanNode[]> {
  const after = from === undefined ? undefined : { at: String(Date.parse(from) * 1000), position: '5' };
  const asked = { after, ascending, limit: 101 };
  const { text, values } = eventsStatement(filter, asked, ascending ? '1900000000000000' : undefined);
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>({
    text: `EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${text}`,
    values: [...values],
  });
  const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  if (plan === undefined) throw new Error('no plan');
  return all(plan.Plan);
}

const tablesIn = (nodes: readonly PlanNode[]) =>
  [...new Set(nodes.flatMap((node) => node['Relation Name'] ?? []))].toSorted();
/** A partition's index is named after its columns. Tables of months without events are read as they are. */
const indexesIn = (nodes: readonly PlanNode[]) =>
  new Set(
    nodes.flatMap((node) => {
      const isSequential =
        node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('events_2020_');
      const [, columns] = /^events_2020_\d\d_(.+)$/.exec(node['Index Name'] ?? '') ?? [];
      return isSequential === true ? ['none'] : (columns ?? []);
    }),
  );

const orgId = 'org-7' as OrgId;
const february = {
  createdFrom: new Date('2020-02-03T00:00:00Z'),
  createdBefore: new Date('2020-02-20T00:00:00Z'),
};
const RARE = ['user.locked', 'session.ended', 'grant.revoked'] as const;

const CASES: readonly (readonly [string, EventFilter, string])[] = [
  ['time alone', {}, 'pkey'],
  ['an organization', { orgId }, 'org_id_created_at_position_idx'],
  ['an actor', { actorId: 'actor-7' }, 'actor_id_created_at_position_idx'],
  ['an object', { aggregateType: 'user', aggregateId: 'thing-7' }, 'aggregate_id_created_at_position_idx'],
  ['an object of an organization', { orgId, aggregateId: 'thing-7' }, 'aggregate_id_created_at_position_idx'],
  ['a type', { types: ['user.locked'] }, 'type_created_at_position_idx'],
  ['several types', { types: RARE }, 'type_created_at_position_idx'],
  ['a kind of object', { aggregateType: 'session' }, 'type_created_at_position_idx'],
  ['types in an organization', { orgId, types: RARE }, 'org_id_type_created_at_position_idx'],
  ['an actor in an organization', { orgId, actorId: 'actor-7' }, 'actor_id_created_at_position_idx'],
  [
    'a kind of object in an organization',
    { orgId, aggregateType: 'session' },
    'org_id_type_created_at_position_idx',
  ],
  ['a type in an organization', { orgId, types: ['user.locked'] }, 'org_id_type_created_at_position_idx'],
];

describe.each([true, false])('a search of events, ascending %s', (ascending) => {
  it.each(CASES)('by %s opens the months asked for and reads by an index', async (_, filter, index) => {
    const nodes = await planOf({ ...filter, ...february }, ascending);
    expect(tablesIn(nodes)).toEqual(['events_2020_02']);
    expect(indexesIn(nodes)).toEqual(new Set([index]));
  });

  it.each(CASES)(
    'by %s goes on from a cursor without reading what is behind it',
    async (_, filter, index) => {
      const from = '2020-03-15T00:00:00Z';
      const nodes = await planOf(filter, ascending, from);
      const behind = new Set(MONTHS.filter((month) => (ascending ? month < '2020_03' : month > '2020_03')));
      expect(tablesIn(nodes).filter((table) => behind.has(table.slice('events_'.length)))).toEqual([]);
      expect(indexesIn(nodes)).toEqual(new Set([index]));
      const wasted = nodes.reduce(
        (sum, node) => sum + (node['Rows Removed by Filter'] ?? 0) * (node['Actual Loops'] ?? 1),
        0,
      );
      expect(wasted).toBeLessThan(10);
    },
  );
});
