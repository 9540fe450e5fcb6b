import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventsStatement } from '../dist/modules/src/storage/postgres/events/events-statement.js';
import { wanted } from './knobs.mjs';
import { count, line, percentiles, say, timed } from './table.mjs';

// `events search`: p95 of a page of the audit log over the API, beside a prepared select of the very same page, at ten
// million events over a year. BENCH_EVENTS sets another number.

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
const PAGES = 300;
const LIMIT = 100;
const MONTHS = 12;
const ORGANIZATIONS = 1000;

/** Written as a set, into tables whose indexes are made afterwards. */
async function fill(client, orgId) {
  const since = performance.now();
  await client.query(
    `SET statement_timeout = 0; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off`,
  );
  const { rows: indexes } = await client.query(
    `SELECT indexname, replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes
     WHERE tablename = 'events' AND indexname <> 'events_pkey'`,
  );
  for (const { indexname } of indexes) await client.query(`DROP INDEX ${indexname}`);
  await client.query(`
    DO $$ BEGIN
      FOR month IN 1..${MONTHS} LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
          'events_' || to_char(date_trunc('month', now()) - make_interval(months => month), 'YYYY_MM'),
          date_trunc('month', now()) - make_interval(months => month),
          date_trunc('month', now()) - make_interval(months => month - 1));
      END LOOP;
    END $$`);
  // one organization has a tenth, and one actor most of that: an import. Twenty types, the first half of everything
  await client.query(
    `INSERT INTO events (created_at, org_id, aggregate_type, aggregate_id, sequence, type, actor_id)
     SELECT first_day + n::float8 / $1 * span, CASE WHEN n % 10 = 0 THEN $2 ELSE 'org-' || n % ${ORGANIZATIONS} END, 'user',
       'user-' || n * 7919 % ($1 / 5), 1 + n % 5,
       CASE WHEN n % 2 = 0 THEN 'user.human.imported' ELSE ($3::text[])[1 + n / 2 % 19] END,
       CASE WHEN n % 4 > 0 THEN 'actor-' || n / 10 % 5000 END
     FROM generate_series(0, $1::bigint - 1) n,
       (SELECT date_trunc('month', now()) - make_interval(months => ${MONTHS}) AS first_day,
               now() - (date_trunc('month', now()) - make_interval(months => ${MONTHS})) AS span) AS year`,
    [EVENTS, orgId, TYPES],
  );
  for (const { definition } of indexes) await client.query(definition);
  await client.query('VACUUM ANALYZE events');
  say(`${count(EVENTS)} events written in ${((performance.now() - since) / 1000).toFixed(0)} s`);
}

const TYPES = [
  'user.locked',
  'user.unlocked',
  'user.deactivated',
  'user.reactivated',
  'user.removed',
  'user.grant.added',
  'session.authenticated',
  'session.ended',
  'grant.opened',
  'grant.revoked',
  'user.human.password.changed',
  'user.human.email.changed',
  'user.human.profile.changed',
  'user.metadata.set',
  'consent.given',
  'project.changed',
  'application.changed',
  'notification.sent',
  'user.impersonated',
];

/** What is asked for, hardly ever the same twice: each by another condition, every other one in some month. */
function searchOf(turn, orgId) {
  const place = (turn * 0.618_033_988_749_895) % 1;
  const number = (most) => Math.floor(place * most);
  const to = new Date(Date.now() - place * MONTHS * 30 * 86_400_000);
  const time =
    turn % 2 === 0 ? {} : { createdFrom: new Date(to.getTime() - 7 * 86_400_000), createdBefore: to };
  const conditions = [
    {},
    { actorId: `actor-${number(5000)}` },
    { aggregateType: 'user', aggregateId: `user-${number(EVENTS / 5)}` },
    { types: [TYPES[number(19)]] },
    { types: TYPES.slice(number(15), number(15) + 3) },
    { orgId, types: [TYPES[number(19)]] },
    { orgId },
    { orgId: `org-${1 + number(ORGANIZATIONS - 1)}` },
  ];
  return { ...conditions[turn % conditions.length], ...time };
}

function bodyOf({ orgId, actorId, ...filter }) {
  return JSON.stringify({ ...filter, editorUserId: actorId, organizationId: orgId, query: { limit: LIMIT } });
}

/** @param {import('./instances.mjs').Instance} instance whose database gets the events */
export async function benchEvents(instance) {
  if (!wanted('events search')) return;
  const client = new pg.Client({ connectionString: instance.env.DATABASE_URL });
  client.on('error', () => undefined);
  await client.connect();
  const { pat } = instance.credentials.adminServiceUser;
  const { rows } = await client.query('SELECT id FROM organizations LIMIT 1');
  await fill(client, rows[0].id);
  await sleep(2_000);
  const headers = { authorization: `Bearer ${pat}`, 'content-type': 'application/json' };
  const [ours, floor] = [[], []];
  let events = 0;
  for (let turn = -32; turn < PAGES; turn += 1) {
    const filter = searchOf(turn + 32, rows[0].id);
    const { text, values } = eventsStatement(filter, {
      after: undefined,
      ascending: false,
      limit: LIMIT + 1,
    });
    const [mine, least] = turn < 0 ? [[], []] : [ours, floor];
    const name = `page ${(turn + 32) % 16} ${values.length}`;
    const answer = await timed(mine, async () => {
      const response = await fetch(`${instance.issuer}/admin/v1/events/_search`, {
        method: 'POST',
        headers,
        body: bodyOf(filter),
      });
      if (!response.ok) throw new Error(`a search answered ${response.status}: ${await response.text()}`);
      return await response.json();
    });
    events += answer.result?.length ?? 0;
    await timed(least, () => client.query({ name, text, values }));
  }
  await client.end();
  if (events === 0) throw new Error('the searches found nothing');
  line(
    `events search at ${count(EVENTS)}`,
    percentiles(ours),
    `beside a prepared select of the same page: ${percentiles(floor)}`,
  );
}
