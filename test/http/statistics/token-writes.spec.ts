// SQL by hand: PostgreSQL itself notes each statement that writes, to whatever table, on whatever connection
import { beforeAll, describe, expect, it } from 'vitest';
import { FlushCounters } from '../../../src/domain/statistics/flush-counters.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { aRobot, bySecret } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// What issuing tokens writes: nothing where the token carries its own contents, and to the statistics only when counts are flushed.

const { api, world } = useWorld();
const STATISTICS = ['instance_counts', 'organization_counts'];

beforeAll(async () => {
  // so that counts are flushed when the test says so
  await api.app.get(FlushCounters).onApplicationShutdown();
  await api.sql.query(`
    CREATE TABLE test_writes (id serial, name text);
    CREATE FUNCTION test_note_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN INSERT INTO test_writes (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
          AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'test_writes' LOOP
        EXECUTE format('CREATE TRIGGER test_note AFTER INSERT OR UPDATE OR DELETE ON %I
                        EXECUTE FUNCTION test_note_write()', name);
      END LOOP;
    END $$`);
});

/** The tables that were written to meanwhile. */
async function writesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  await api.sql.query('TRUNCATE test_writes');
  await work();
  const { rows } = await api.sql.query<{ name: string }>('SELECT name FROM test_writes');
  return [...new Set(rows.map(({ name }) => name))].sort();
}

async function flush(): Promise<void> {
  await api.app.get(FlushCounters).flush();
}

describe('issuing a token', () => {
  it.each(['opaque', 'jwt'] as const)('writes nothing: %s', async (accessTokenType) => {
    const robot = await aRobot(world, { accessTokenType });
    const issue = async () => expect((await bySecret(api, robot)).statusCode).toBe(200);
    // its secret is proven once, and the key that signs or seals is read
    await issue();
    await flush();
    const written = await writesOf(async () => {
      for (let token = 0; token < 20; token += 1) await issue();
    });
    expect(written).toEqual([]);
    // all twenty at once, and what writes is noted
    expect(await writesOf(flush)).toEqual(STATISTICS);
    expect(await writesOf(flush)).toEqual([]);
  });

  it('writes nothing to the statistics by a sign-in either, which writes its own', async () => {
    const client = await anApplication(world);
    const user = await aUser(world);
    await flush();
    const written = await writesOf(async () => await obtainTokens(api, client, user));
    expect(written).not.toEqual([]);
    expect(written.filter((name) => STATISTICS.includes(name))).toEqual([]);
    expect(await writesOf(flush)).toEqual(STATISTICS);
  });
});
