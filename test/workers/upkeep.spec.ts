import { expect, it } from 'vitest';
import { useApiPerTest } from '../support/api.js';
import { anOrganization } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { dumpRedis, useRedisPerTest } from './support/redis-server.js';
import { useWorkers } from './support/use-workers.js';

const redis = useRedisPerTest();
const api = useApiPerTest();
const workers = useWorkers(api, () => ({ REDIS_URL: redis.url }));

async function expired(): Promise<number> {
  const { rows } = await api.sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM used_assertions WHERE expires_at < now()`,
  );
  return rows[0]?.n ?? -1;
}

const dump = async () => await dumpRedis(redis.url, api.environment['QUEUE_PREFIX'] ?? '');

it('goes on after a worker that was killed in the middle, and says in the dashboard what it did', async () => {
  await api.sql.query(
    `INSERT INTO used_assertions (hash, expires_at)
     SELECT int8send(n), now() - interval '1 h' FROM generate_series(1, 5000) AS n`,
  );
  expect(await workers.spawn({ CRASH_AT: 'upkeep-after-round' }).exited).toEqual({
    code: null,
    signal: 'SIGKILL',
  });
  expect(await expired()).toBe(3000);
  const worker = workers.spawn();
  await worker.untilReady();
  await eventually('the rest', 60_000, async () => (await expired()) === 0);
  await eventually('what it did', 10_000, async () => (await dump()).includes('3000 used_assertions'));
  await eventually('the count', 10_000, async () =>
    (await worker.ops('/metrics')).body.includes('identity_upkeep_rows_total{kind="used_assertions"} 3000'),
  );
});

it('warns of providers and old systems whose secret or certificate expires, and counts them', async () => {
  const { orgId } = await anOrganization(api);
  await api.sql.query(
    `INSERT INTO user_migrations
       (org_id, kind, settings, is_active, ends_at, requests_per_minute, deadline_ms, expires_at)
     VALUES ($1, 'ldap', '{}', true, now() + interval '90 days', 600, 2000, now() + interval '10 days')`,
    [orgId],
  );
  await api.sql.query(
    `INSERT INTO identity_providers (id, org_id, name, kind, settings, mapping, state, expires_at)
     VALUES ('4711', $1, 'Elsewhere', 'google', '{"clientId": "c", "scopes": [], "requiredClaims": {}}', '{}', 'active',
       now() + interval '10 days')`,
    [orgId],
  );
  const worker = workers.spawn();
  await worker.untilReady();
  const told = async () => {
    const { rows } = await api.sql.query<{ type: string }>(
      `SELECT type FROM events WHERE org_id = $1 AND type LIKE '%.expiring' ORDER BY type`,
      [orgId],
    );
    return rows.map(({ type }) => type).join();
  };
  await eventually(
    'the events',
    60_000,
    async () => (await told()) === 'identity_provider.expiring,user_migration.expiring',
  );
  for (const of of ['idps', 'user_migrations']) {
    await eventually('the count', 60_000, async () =>
      (await worker.ops('/metrics')).body.includes(`identity_${of}_expiring 1`),
    );
  }
});

it('has its schedules made again within a minute after Redis was emptied (F02)', async () => {
  const names = [
    'remove-expired-rows',
    'remove-unused-rows',
    'remove-old-events',
    'sweep-stuck-rows',
    'rotate-keys',
  ];
  const scheduled = async () => {
    const held = await dump();
    return names.every((name) => held.includes(`:repeat:${name}`));
  };
  await workers.spawn().untilReady();
  await eventually('the schedules', 15_000, scheduled);
  await redis.flush();
  await eventually('the schedules again', 60_000, scheduled);
});
