import { describe, expect, it } from 'vitest';
import { startTestApi, useApi } from '../../support/api.js';
import { ApiProcess, isBuilt } from './support/api-process.js';

// The first signing key, token key and data key of an instance are made once, however many replicas begin at once.
const first = useApi();

async function forgetKeys(): Promise<void> {
  await first.sql.query(`DELETE FROM signing_keys`);
  await first.sql.query(`DELETE FROM token_keys`);
  await first.sql.query(`DELETE FROM data_keys`);
  await first.sql.query(`DELETE FROM events WHERE aggregate_type = 'signing_key'`);
}

async function countKeys(): Promise<Record<string, number>> {
  const { rows } = await first.sql.query<Record<string, number>>(`
    SELECT (SELECT count(*)::int FROM signing_keys) AS signing_keys,
           (SELECT count(*)::int FROM token_keys) AS token_keys,
           (SELECT count(*)::int FROM data_keys) AS data_keys,
           (SELECT count(*)::int FROM events WHERE type = 'signing_key.added') AS events`);
  return rows[0] ?? {};
}

// RS256, and ES256 for applications under FAPI 2.0
const ONE_OF_EACH = { signing_keys: 2, token_keys: 1, data_keys: 1, events: 2 };

describe('six replicas on an empty database', () => {
  it('make one key of each kind and publish the same set', async () => {
    await forgetKeys();
    const replicas = await Promise.all(Array.from({ length: 6 }, () => startTestApi({}, first)));
    try {
      expect(await countKeys()).toEqual(ONE_OF_EACH);
      const sets = await Promise.all(replicas.map(({ app }) => app.inject('/oauth/v2/keys')));
      expect(new Set(sets.map((set) => set.body)).size).toBe(1);
      expect(new Set(sets.map((set) => set.headers.etag)).size).toBe(1);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  it.skipIf(!isBuilt)('do the same as processes, and stop when told to', async () => {
    await forgetKeys();
    const processes = await Promise.all(Array.from({ length: 6 }, () => ApiProcess.spawn(first.environment)));
    try {
      await Promise.all(processes.map((one) => one.untilReady()));
      expect(await countKeys()).toEqual(ONE_OF_EACH);
      const sets = await Promise.all(
        processes.map(async ({ url }) => (await fetch(`${url}/oauth/v2/keys`)).text()),
      );
      expect(new Set(sets).size).toBe(1);
      expect(sets[0]).toContain('"alg":"RS256"');
      expect(await Promise.all(processes.map((one) => one.stop()))).toEqual([0, 0, 0, 0, 0, 0]);
    } finally {
      await Promise.all(processes.map((one) => one.stop()));
    }
  });
});
