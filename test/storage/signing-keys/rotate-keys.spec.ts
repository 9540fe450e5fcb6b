import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Log } from '../../../src/domain/shared/log.js';
import { EnsureKeys } from '../../../src/domain/signing-keys/ensure-keys.js';
import { MOST_KEYS, shortestRotationSeconds } from '../../../src/domain/signing-keys/key-set-capacity.js';
import type { KeySettings } from '../../../src/domain/signing-keys/key-settings.js';
import { MakeKeys } from '../../../src/domain/signing-keys/make-keys.js';
import { RotateKeys } from '../../../src/domain/signing-keys/rotate-keys.js';
import { WatchKeySet } from '../../../src/domain/signing-keys/watch-key-set.js';
import { PgEventsStore } from '../../../src/storage/postgres/events/events.store.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { PgSigningKeysStore } from '../../../src/storage/postgres/signing-keys/signing-keys.store.js';
import { Seed } from '../authorizations/seed.js';

const EDDSA = { algorithm: 'EdDSA', leaseMs: 10_000 } as const;
const DAY = 86_400;
/** The schedule that a new instance begins with, and what two leases of a replica add to the lead. */
const ROTATION = 90 * DAY;
const LEAD = DAY + 20;
const RETENTION = 30 * DAY + 70;
/** How long before its time nothing happens yet: longer than a busy machine takes to get there. */
const MARGIN = 60;

class Notes extends Log {
  readonly warnings: string[] = [];
  override debug(): void {}
  override info(): void {}
  override warn(message: string): void {
    this.warnings.push(message);
  }
  override error(): void {}
}

let seed: Seed;
let keys: PgSigningKeysStore;
let rotate: RotateKeys;
let ensure: EnsureKeys;

/** What a process of its own would have. */
async function replica(settings: KeySettings = EDDSA): Promise<{ rotate: RotateKeys; ensure: EnsureKeys }> {
  const sealer = await PgSealer.open(seed.sql, { current: MASTER_KEY, previous: [] });
  const events = new PgEventsStore(seed.sql, new LaggingReads(seed.sql));
  const makeKeys = new MakeKeys(keys, sealer, events);
  return {
    rotate: new RotateKeys(seed.unitOfWork, keys, makeKeys, events, settings),
    ensure: new EnsureKeys(seed.unitOfWork, keys, makeKeys, settings, log),
  };
}
const log = new Notes();
const MASTER_KEY = randomBytes(32).toString('base64');

beforeEach(async () => {
  seed = await Seed.open();
  await seed.pool.query(`DELETE FROM signing_keys`);
  await seed.pool.query(`DELETE FROM token_keys`);
  await seed.pool.query(`DELETE FROM data_keys`);
  keys = new PgSigningKeysStore(seed.sql);
  ({ rotate, ensure } = await replica());
  log.warnings.length = 0;
});
afterEach(() => seed.close());

/** States of the keys of a chain, oldest first. */
async function states(chain = 'EdDSA'): Promise<string[]> {
  const { items } = await keys.list({ offset: 0, limit: 100, ascending: true });
  return items.filter((key) => key.chain === chain).map((key) => key.state);
}

/** Without the chain that is kept for clients which can do nothing else: it goes the same way, and RSA takes its time. */
async function ensureOwn(): Promise<void> {
  await ensure.run();
  await seed.pool.query(`DELETE FROM signing_keys WHERE algorithm = 'RS256'`);
}

async function countEvents(type: string): Promise<number> {
  return await seed.value(`SELECT count(*)::int FROM events WHERE type = $1`, [type]);
}

describe('keys on schedule', () => {
  beforeEach(ensureOwn);

  it.each(['EdDSA', 'opaque'])('go next → current → previous → gone, each at its time: %s', async (chain) => {
    expect(await rotate.run()).toBe(0);
    await seed.advance(ROTATION - LEAD - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(2);
    expect(await states(chain)).toEqual(['current', 'next']);
    await seed.advance(LEAD - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(2);
    expect(await states(chain)).toEqual(['previous', 'current']);
    await seed.advance(RETENTION - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(2);
    expect(await states(chain)).toEqual(['gone', 'current']);
  });

  it('are published for the whole lead, however late the worker comes (F36)', async () => {
    await seed.advance(3 * ROTATION);
    expect(await rotate.run()).toBe(2);
    expect(await rotate.run()).toBe(0);
    await seed.advance(LEAD - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(2);
    expect(await states()).toEqual(['previous', 'current']);
    expect(await rotate.run()).toBe(0);
  });

  it('keep no private half once they have signed for the last time', async () => {
    await seed.advance(ROTATION);
    await rotate.run();
    await seed.advance(LEAD);
    await rotate.run();
    const kept = `SELECT count(*)::int FROM signing_keys WHERE state = 'previous' AND private_sealed IS NOT NULL`;
    expect(await seed.value(kept)).toBe(0);
    await seed.advance(RETENTION);
    await rotate.run();
    const sealed = `SELECT sum(length(sealed))::int FROM token_keys WHERE state = 'gone'`;
    expect(await seed.value(sealed)).toBe(0);
  });

  it('never change by themselves when the schedule says so', async () => {
    await seed.pool.query(`UPDATE key_schedule SET rotation_seconds = 0`);
    await seed.advance(100 * ROTATION);
    expect(await rotate.run()).toBe(0);
    expect(await states()).toEqual(['current']);
  });

  it('one next, then one current, by six workers at once (F33)', async () => {
    const workers = await Promise.all(Array.from({ length: 6 }, () => replica()));
    const runAll = () => Promise.all(workers.map((worker) => worker.rotate.run()));
    const sum = (all: number[]) => all.reduce((total, one) => total + one, 0);
    for (const wait of [ROTATION, LEAD, RETENTION]) {
      await seed.advance(wait);
      await runAll();
    }
    expect(sum(await runAll())).toBe(0);
    expect(await states()).toEqual(['gone', 'current']);
    expect(await states('opaque')).toEqual(['gone', 'current']);
    expect(await countEvents('signing_key.activated')).toBe(1);
    expect(await countEvents('token_key.retired')).toBe(1);
  });
});

describe('six replicas on an empty database', () => {
  it('make one key of each kind, fifty times over (F33)', async () => {
    const replicas = await Promise.all(Array.from({ length: 6 }, () => replica()));
    for (let time = 0; time < 50; time += 1) {
      await seed.pool.query(`DELETE FROM signing_keys`);
      await seed.pool.query(`DELETE FROM token_keys`);
      await Promise.all(replicas.map((one) => one.ensure.run()));
      const made = await Promise.all(['EdDSA', 'RS256', 'opaque'].map(states));
      expect(made).toEqual([['current'], ['current'], ['current']]);
    }
  });
});

describe('an algorithm that is chosen later', () => {
  it('is published for the lead, while the one before goes on, and signs then', async () => {
    const before = await replica({ ...EDDSA, algorithm: 'RS256' });
    await before.ensure.run();
    await Promise.all([ensure.run(), (await replica()).ensure.run()]);
    expect(await Promise.all(['RS256', 'EdDSA'].map(states))).toEqual([['current'], ['next']]);
    await ensure.run();
    await seed.advance(LEAD - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(1);
    expect(await Promise.all(['RS256', 'EdDSA'].map(states))).toEqual([['current'], ['current']]);
    expect(await rotate.run()).toBe(0);
  });

  it('may sign at once in an emergency', async () => {
    await (await replica({ ...EDDSA, algorithm: 'RS256' })).ensure.run();
    await ensure.run();
    await seed.unitOfWork.run((tx) => rotate.replaceAtOnce(tx, 'EdDSA', 'u1'));
    expect(await states()).toEqual(['gone', 'current']);
  });
});

describe('keys on demand', () => {
  beforeEach(ensureOwn);
  const ask = (worker = rotate) => seed.unitOfWork.run((tx) => worker.ask(tx, 'EdDSA', 'u1'));
  const current = async () =>
    (await keys.now()).keys.find((key) => key.chain === 'EdDSA' && key.state === 'current');

  it('are one, by two that ask at once, and sign after the lead', async () => {
    const other = await replica();
    const ids = await Promise.all([ask(), ask(other.rotate)]);
    expect(new Set(ids).size).toBe(1);
    await seed.advance(LEAD - MARGIN);
    expect(await rotate.run()).toBe(0);
    await seed.advance(MARGIN);
    expect(await rotate.run()).toBe(1);
    expect((await current())?.id).toBe(ids[0]);
  });

  it('bring a key forward that leads up already, but not below its lead', async () => {
    // published long before it is due
    await seed.unitOfWork.run((tx) =>
      keys.replaceSchedule(tx, { rotationSeconds: ROTATION, leadSeconds: 60 * DAY }),
    );
    await seed.advance(31 * DAY);
    await rotate.run();
    await seed.unitOfWork.run((tx) =>
      keys.replaceSchedule(tx, { rotationSeconds: ROTATION, leadSeconds: DAY }),
    );
    await ask();
    expect(await rotate.run()).toBe(0);
    await seed.advance(LEAD);
    expect(await rotate.run()).toBe(1);
    expect(await states()).toEqual(['previous', 'current']);
  });

  it('refuse to sign before their lead is over, and after they have signed', async () => {
    const first = (await current())?.id ?? '';
    const id = await ask();
    const activate = (key: string) => seed.unitOfWork.run((tx) => rotate.activate(tx, key, 'u1'));
    await expect(activate(id)).rejects.toMatchObject({ kind: 'failed-precondition' });
    await expect(activate('nobody')).rejects.toMatchObject({ kind: 'not-found' });
    await seed.advance(LEAD);
    await activate(id);
    await activate(id);
    expect(await states()).toEqual(['previous', 'current']);
    await expect(activate(first)).rejects.toMatchObject({ kind: 'failed-precondition' });
  });

  it('replace at once what may be known, and what leads up with it', async () => {
    const leading = await ask();
    const id = await seed.unitOfWork.run((tx) => rotate.replaceAtOnce(tx, 'EdDSA', 'u1'));
    expect((await current())?.id).toBe(id);
    expect(await states()).toEqual(['previous', 'gone', 'current']);
    expect(await new PgSigningKeysStore(seed.sql).findPublic(leading)).toBeUndefined();
  });

  it('may be removed unless they sign', async () => {
    const first = (await current())?.id ?? '';
    const remove = (key: string) => seed.unitOfWork.run((tx) => rotate.remove(tx, key, 'u1'));
    await expect(remove(first)).rejects.toMatchObject({ kind: 'failed-precondition', id: 'COMMAND-Chai1' });
    await seed.unitOfWork.run((tx) => rotate.replaceAtOnce(tx, 'EdDSA', 'u1'));
    await remove(first);
    await remove(first);
    expect(await states()).toEqual(['gone', 'current']);
    expect(await remove('nobody')).toBeUndefined();
    expect(await countEvents('signing_key.removed')).toBe(1);
  });
});

describe('S200: a full key set', () => {
  beforeEach(ensureOwn);

  /** Keys that signed once, as a hundred emergencies would leave them. */
  async function fill(count = MOST_KEYS - 1): Promise<void> {
    await seed.pool.query(
      `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, previous_since, retires_at)
       SELECT 'old-' || n, 'EdDSA', 'previous', '{}', app_now(), app_now() + interval '40 days'
       FROM generate_series(1, $1) AS n`,
      [count],
    );
  }
  const published = () => seed.value<number>(`SELECT count(*)::int FROM signing_keys WHERE state <> 'gone'`);
  const ask = () => seed.unitOfWork.run((tx) => rotate.ask(tx, 'EdDSA', 'u1'));
  const replace = () => seed.unitOfWork.run((tx) => rotate.replaceAtOnce(tx, 'EdDSA', 'u1'));
  const full = { kind: 'failed-precondition', id: 'COMMAND-kR7s6' };

  it('S200: accepts no further key and drops none; removing one makes room', async () => {
    await fill();
    await expect(ask()).rejects.toMatchObject(full);
    await expect(replace()).rejects.toMatchObject(full);
    expect(await published()).toBe(MOST_KEYS);
    expect((await states()).filter((state) => state === 'current')).toHaveLength(1);
    await seed.unitOfWork.run((tx) => rotate.remove(tx, 'old-1', 'u1'));
    const results = await Promise.allSettled([replace(), ask(), replace()]);
    // an emergency behind a rotation takes the place of the key that leads up, and needs no room
    expect([1, 2]).toContain(results.filter(({ status }) => status === 'fulfilled').length);
    expect(await published()).toBe(MOST_KEYS);
  });

  it('S200: an emergency rotation that replaces a published key needs no room', async () => {
    await fill(MOST_KEYS - 2);
    await ask();
    await replace();
    expect(await published()).toBe(MOST_KEYS);
  });

  it('S200: stops the scheduled rotation, reports it once, and goes on when there is room', async () => {
    await fill();
    const events = new PgEventsStore(seed.sql, new LaggingReads(seed.sql));
    const watch = new WatchKeySet(keys, events, EDDSA, log);
    await watch.run();
    expect(log.warnings).toEqual([]);
    // chosen between, so that those who fill the set stay
    await seed.pool.query(`UPDATE key_schedule SET rotation_seconds = ${2 * DAY}`);
    await seed.advance(3 * DAY);
    // the chain of opaque tokens goes on: it has a set of its own
    expect(await rotate.run()).toBe(1);
    expect(await rotate.run()).toBe(0);
    await watch.run();
    await watch.run();
    expect(log.warnings).toHaveLength(1);
    expect(await countEvents('instance.key_set_full')).toBe(1);
    expect((await states()).filter((state) => state === 'current')).toHaveLength(1);
    await seed.unitOfWork.run((tx) => rotate.remove(tx, 'old-1', 'u1'));
    expect(await rotate.run()).toBe(1);
    expect(await seed.value(`SELECT count(*)::int FROM signing_keys WHERE state = 'next'`)).toBe(1);
  });

  it('S200: an algorithm that is chosen then does not keep the service from starting', async () => {
    await fill();
    const later = await replica({ algorithm: 'ES256', leaseMs: 10_000 });
    log.warnings.length = 0;
    await later.ensure.run();
    expect(log.warnings).toHaveLength(1);
    expect(await states('ES256')).toEqual([]);
    await seed.pool.query(`DELETE FROM signing_keys WHERE kid IN ('old-1', 'old-2')`);
    await later.ensure.run();
    expect(await states('ES256')).toEqual(['next']);
  });

  it('S386: never fills by a schedule that was saved when one algorithm signed', async () => {
    await seed.pool.query(`DELETE FROM signing_keys`);
    await ensure.run();
    const saved = 30_000;
    await seed.unitOfWork.run((tx) =>
      keys.replaceSchedule(tx, { rotationSeconds: saved, leadSeconds: 1_200 }),
    );
    log.warnings.length = 0;
    await ensure.run();
    expect(log.warnings).toEqual([
      'rotationPeriod is too short for the key set: keys change as often as it has room for',
    ]);
    await seed.advance(saved);
    expect(await rotate.run()).toBe(1);
    expect(await states('opaque')).toEqual(['current', 'next']);
    expect([await states('EdDSA'), await states('RS256')]).toEqual([['current'], ['current']]);
    await seed.advance(shortestRotationSeconds(2) - saved);
    await rotate.run();
    expect([await states('EdDSA'), await states('RS256')]).toEqual([
      ['current', 'next'],
      ['current', 'next'],
    ]);
  });

  it('S200: never fills by a schedule that may be chosen', () => {
    for (const algorithms of [1, 2]) {
      const keysOfOne = Math.ceil((30 * DAY) / shortestRotationSeconds(algorithms)) + 3;
      expect(keysOfOne * algorithms).toBeLessThanOrEqual(MOST_KEYS);
    }
  });
});
