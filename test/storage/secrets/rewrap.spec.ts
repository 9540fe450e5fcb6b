import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { Seed } from '../authorizations/seed.js';

// A new master key wraps the data keys anew: what they sealed opens as before, without the old master key.

const PLACE = { purpose: 'test', table: 't', column: 'c', rowId: '1' };
const OLD = randomBytes(32).toString('base64');
const NEW = randomBytes(32).toString('base64');

let seed: Seed;

beforeEach(async () => {
  seed = await Seed.open();
  await seed.pool.query(`DELETE FROM signing_keys`);
  await seed.pool.query(`DELETE FROM token_keys`);
  await seed.pool.query(`DELETE FROM data_keys`);
});
afterEach(() => seed.close());

const open = (current: string, previous: string[] = []) => PgSealer.open(seed.sql, { current, previous });

it('leaves what is sealed as it is, and needs the old master key no longer', async () => {
  const running = await open(OLD);
  const value = running.seal(PLACE, Buffer.from('secret'));
  const changed = await open(NEW, [OLD]);
  expect(await Promise.all([changed.rewrap(), (await open(NEW, [OLD])).rewrap()])).toSatisfy(
    (counts: number[]) => counts.toSorted().join() === '0,1',
  );
  expect((await (await open(NEW)).open(PLACE, value)).toString()).toBe('secret');
  expect((await running.open(PLACE, value)).toString()).toBe('secret');
  await expect(open(OLD)).rejects.toThrow('MASTER_KEY');
});

it('changes nothing when a key was wrapped by a master key that is not given', async () => {
  await open(OLD);
  const changed = await open(NEW, [OLD]);
  await seed.pool.query(
    `INSERT INTO data_keys (wrapped, master_key_id, state) VALUES ('\\x00', 'of-somebody-else', 'previous')`,
  );
  await expect(changed.rewrap()).rejects.toThrow('MASTER_KEY');
  expect(await open(OLD).catch((error: unknown) => String(error))).toContain('MASTER_KEY_PREVIOUS');
  await seed.pool.query(`DELETE FROM data_keys WHERE master_key_id = 'of-somebody-else'`);
  expect(await open(OLD)).toBeInstanceOf(PgSealer);
});
