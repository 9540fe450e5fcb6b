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

export async function sampleOfTables(pool: pg.Pool): Promise<Sample> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT name, pg_total_relation_size(name::regclass)::text AS bytes FROM unnest($1::text[]) AS name`,
    [COME_AND_GO],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [`size of ${name}`, Number(bytes)]));
}

/** What is no growth: a collection that comes later, a page more of a table. */
const SLACK: readonly (readonly [of: RegExp, share: number, extra: number])[] = [
  [/^memory/, 1.15, 24 * 2 ** 20],
  [/^heap/, 1.15, 16 * 2 ** 20],
  [/^handles/, 1, 12],
  [/^size/, 1.5, 2 ** 20],
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
