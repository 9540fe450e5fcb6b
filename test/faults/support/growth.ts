import type pg from 'pg';

/** One look at what must not grow for ever. */
export type Sample = Readonly<Record<string, number>>;

/** Numbers of a process in Prometheus' format. */
const OF_PROCESS = {
  memory: 'process_resident_memory_bytes',
  heap: 'nodejs_heap_size_used_bytes',
  handles: 'process_open_fds',
} as const;

export function sampleOfProcess(name: string, metrics: string): Sample {
  return Object.fromEntries(
    Object.entries(OF_PROCESS).flatMap(([what, metric]) => {
      const value = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1];
      return value === undefined ? [] : [[`${what} of ${name}`, Number(value)]];
    }),
  );
}

/** Tables whose rows come and go: with their indexes they may take what a busy minute needs, and no more each minute. */
const COME_AND_GO = [
  'outbox',
  'heartbeats',
  'workers',
  'instance_counts',
  'import_chunks',
  'idempotency_keys',
];

/** Tables whose rows stay for days, more of them with each sign-in and each mail: a row may not take more and more room. */
const STAY = ['refresh_tokens', 'sessions', 'notifications'];

export async function sampleOfTables(pool: pg.Pool): Promise<Sample> {
  const sizes = await pool.query<{ name: string; bytes: string }>(
    `SELECT name, pg_total_relation_size(name::regclass)::text AS bytes FROM unnest($1::text[]) AS name`,
    [[...COME_AND_GO, ...STAY]],
  );
  const dead = await pool.query<{ name: string; rows: string }>(
    `SELECT relname AS name, n_dead_tup::text AS rows FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
    [[...COME_AND_GO, ...STAY]],
  );
  // counted: statistics are gone when PostgreSQL was killed
  const counts = await pool.query<{ name: string; rows: string }>(
    STAY.map((name) => `SELECT '${name}' AS name, count(*)::text AS rows FROM ${name}`).join(' UNION ALL '),
  );
  const rowsOf = new Map(counts.rows.map(({ name, rows }) => [name, Math.max(1, Number(rows))]));
  return Object.fromEntries([
    ...sizes.rows.map(({ name, bytes }) => {
      const rows = rowsOf.get(name);
      return rows === undefined
        ? [`size of ${name}`, Number(bytes)]
        : [`bytes a row of ${name}`, Math.round(Number(bytes) / rows)];
    }),
    ...dead.rows.map(({ name, rows }) => [`dead rows of ${name}`, Number(rows)]),
  ]) as Sample;
}

/** Since when the oldest job that is due waits, in PostgreSQL or in Redis. */
export async function sampleOfQueues(pool: pg.Pool): Promise<Sample> {
  const { rows } = await pool.query<{ pending: number; published: number }>(
    `SELECT coalesce(max(extract(epoch FROM app_now() - available_at)) FILTER (WHERE state = 'pending'), 0)::float8 AS pending,
            coalesce(max(extract(epoch FROM app_now() - published_at)) FILTER (WHERE state = 'published'), 0)::float8 AS published
     FROM outbox WHERE available_at <= app_now()`,
  );
  const { pending = 0, published = 0 } = rows[0] ?? {};
  return {
    'age of the oldest unpublished job': Math.round(pending),
    'age of the oldest published job': Math.round(published),
  };
}

/** What is no growth: a collection that comes later, a page more of a table. */
const SLACK: readonly (readonly [of: RegExp, share: number, extra: number])[] = [
  [/^memory/, 1.15, 24 * 2 ** 20],
  [/^heap/, 1.15, 16 * 2 ** 20],
  [/^handles/, 1, 12],
  [/^size/, 1.5, 2 ** 20],
  // the first pages are empty for the most part
  [/^bytes/, 1.25, 512],
  // until the next autovacuum, which comes for a fifth of the rows
  [/^dead/, 1.25, 1_000],
  // seconds: a mail that is tried again later is no queue that grows
  [/^age/, 1, 30],
];

/**
 * What grew from the middle third of the time to the last: the least of each is compared, as whatever is freed in time is free at
 * some moment. The first third is for what warms up.
 */
export function grown(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  const names = new Set(samples.flatMap((sample) => Object.keys(sample)));
  return [...names].flatMap((name) => {
    const [share, extra] = slackOf(name);
    const middle = least(samples.slice(third, 2 * third), name);
    const last = least(samples.slice(-third), name);
    return last <= middle * share + extra ? [] : [`${name}: from ${middle} to ${last}`];
  });
}

function slackOf(name: string): readonly [share: number, extra: number] {
  const [, share, extra] = SLACK.find(([of]) => of.test(name)) ?? [/^/, 1, 0];
  return [share, extra];
}

function least(samples: readonly Sample[], name: string): number {
  return Math.min(...samples.flatMap((sample) => sample[name] ?? []));
}
