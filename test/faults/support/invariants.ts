import { compactVerify, createLocalJWKSet } from 'jose';
import { expect } from 'vitest';
import { dumpRedis } from '../../workers/support/redis-server.js';
import { MARKERS } from './people.js';
import type { Site } from './site.js';

/** Attempts of people and applications that may fail while Postgres is up (security I7). */
const MAY_FAIL = 0.001;

interface Allowed {
  /**
   * `twice`: Postgres went between the mail server's word and writing it down, so the same message may leave once more.
   * `forgotten`: that it had left at all was lost with the last commits.
   */
  readonly mails?: 'once' | 'twice' | 'forgotten';
}

interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly dryRun: boolean;
  readonly total: number | null;
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly dropped: number;
  readonly unfinished: number;
}

const JOBS = `
  SELECT j.id, j.state, j.dry_run AS "dryRun", j.records_total AS total,
    coalesce(sum(c.created), 0)::int AS created, coalesce(sum(c.updated), 0)::int AS updated,
    coalesce(sum(c.skipped), 0)::int AS skipped, coalesce(sum(c.failed), 0)::int AS failed,
    coalesce(sum(c.records) FILTER (WHERE c.state = 'cancelled'), 0)::int AS dropped,
    count(*) FILTER (WHERE c.state IN ('pending', 'queued', 'running'))::int AS unfinished
  FROM imports j LEFT JOIN import_chunks c ON c.import_id = j.id GROUP BY j.id`;

/**
 * What must hold after every scenario, whatever happened in it (docs/security.md, "After every fault"). I5 and that progress is never ahead of
 * the rows are looked at all the while, by `Watch`; I7 is what `Load` met. I9 is where a scenario waits: nobody helps,
 * and the waits are that short.
 */
export async function expectInvariants(site: Site, allowed: Allowed = {}): Promise<void> {
  await site.untilNothingQueued();
  await site.load.stop();
  await site.watch.stop();
  const { rows } = await site.pool.query<JobRow>(JOBS);
  for (const job of rows) await expectOneOutcomeEach(site, job);
  await expectNoPersonTwice(site);
  await expectOneMailEach(site, allowed);
  await expectNothingTold(site);
  await expectKeysInOrder(site);
  expect(site.watch.violations).toEqual([]);
  const { attempts, failures } = site.load;
  expect(attempts).toBeGreaterThan(0);
  expect(failures.length / attempts, failures.slice(0, 5).join('\n')).toBeLessThanOrEqual(MAY_FAIL);
}

/** I1, I2 and I8 of one import. */
async function expectOneOutcomeEach(site: Site, job: JobRow): Promise<void> {
  expect(['done', 'failed', 'cancelled', 'undone']).toContain(job.state);
  expect(job.unfinished).toBe(0);
  const outcomes = job.created + job.updated + job.skipped + job.failed;
  if (job.total !== null) expect(outcomes + job.dropped).toBe(job.total);
  if (['done', 'undone'].includes(job.state)) expect(job.dropped).toBe(0);

  const { body } = await site.call('GET', `imports/${job.id}/results`);
  type Outcome = { line: number; outcome: string; userId?: string };
  const results = body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Outcome]));
  if (results.length > 0 || job.state === 'done') {
    expect(results).toHaveLength(outcomes);
    expect(new Set(results.map(({ line }) => line)).size).toBe(outcomes);
  }
  const created = results.flatMap(({ outcome, userId }) => (outcome === 'created' && userId ? [userId] : []));
  const written = job.dryRun ? 0 : job.created;
  if (!job.dryRun) expect(new Set(created).size).toBe(created.length);

  const { rows } = await site.pool.query<{ events: number; users: number }>(
    `SELECT count(*)::int AS events, count(DISTINCT aggregate_id)::int AS users FROM events
     WHERE aggregate_type = 'user' AND type = 'user.human.imported' AND data ->> 'import' = $1`,
    [job.id],
  );
  expect(rows[0]).toEqual({ events: written, users: written });
  const ends = `aggregate_id = '${job.id}' AND type IN ('import.done', 'import.failed', 'import.cancelled')`;
  expect(await site.count('events', ends)).toBe(1);
}

async function expectNoPersonTwice(site: Site): Promise<void> {
  const { rows } = await site.pool.query<{ users: number; names: number; told: number }>(
    `SELECT count(*)::int AS users, count(DISTINCT user_name)::int AS names,
       (SELECT count(DISTINCT e.aggregate_id)::int FROM events e JOIN users u ON u.id = e.aggregate_id
        WHERE e.type = 'user.human.imported' AND u.user_name LIKE 'person-%') AS told
     FROM users WHERE user_name LIKE 'person-%'`,
  );
  const { users = 0, names, told } = rows[0] ?? {};
  expect({ names, told }).toEqual({ names: users, told: users });
}

/** I3: every intent has ended, and nobody got the same twice. */
async function expectOneMailEach(site: Site, { mails = 'once' }: Allowed): Promise<void> {
  expect(await site.count('notifications', `state NOT IN ('sent', 'abandoned')`)).toBe(0);
  if (mails === 'forgotten') return;
  const times = new Map<string, number>();
  for (const { messageId } of site.sink.received) times.set(messageId, (times.get(messageId) ?? 0) + 1);
  expect(times.size).toBe(await site.count('notifications', `state = 'sent'`));
  expect(Math.max(0, ...times.values())).toBeLessThanOrEqual(mails === 'twice' ? 2 : 1);
}

/** I4: one key signs, at most one is about to, and whoever kept the keys from the beginning can verify all of it. */
async function expectKeysInOrder({ pool, load }: Site): Promise<void> {
  for (const table of [`signing_keys WHERE algorithm = 'RS256' AND`, 'token_keys WHERE']) {
    const { rows } = await pool.query<{ state: string; count: number }>(
      `SELECT state, count(*)::int AS count FROM ${table} state IN ('current', 'next') GROUP BY state`,
    );
    const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    expect(counts['current'], table).toBe(1);
    expect(counts['next'] ?? 0, table).toBeLessThanOrEqual(1);
  }
  const keySet = createLocalJWKSet(load.keys ?? { keys: [] });
  for (const token of load.idTokens) await compactVerify(token, keySet);
}

/** I6, and the logs of all processes. */
async function expectNothingTold(site: Site): Promise<void> {
  const dump = await dumpRedis(site.redisUrl, site.prefix);
  for (const marker of [...MARKERS, 'person-']) {
    expect(dump.includes(marker), `${marker} in Redis`).toBe(false);
    expect(site.logs().includes(marker), `${marker} in a log`).toBe(false);
  }
}
