import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { ChangeProviderHealth } from '../../../src/domain/notifications/health/change-provider-health.js';
import { ProviderGates } from '../../../src/domain/notifications/health/provider-gates.js';
import { FAILURES_TO_OPEN, HEALTHY } from '../../../src/domain/notifications/health/provider-health.js';
import type { Provider } from '../../../src/domain/notifications/providers/provider.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgEventsStore } from '../../../src/storage/postgres/events/events.store.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { ProviderHealthRows } from '../../../src/storage/postgres/notifications/provider-health-rows.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { GivenProviders, KeptLog, smsProvider, smtpProvider } from '../../support/sending.js';
import { stopTime } from '../../support/stopped-time.js';

/** What a worker holds a probe for. */
const HOLD_MS = 40_000;

let database: TestDatabase;
let workers: readonly DataSource[];
let pool: pg.Pool;
let count = 0;
let provider: Provider;

beforeAll(async () => {
  database = await cloneDatabase();
  const settings = {
    url: database.url,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'provider-health',
  };
  workers = await Promise.all([1, 2].map(() => createDataSource(settings).initialize()));
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  await stopTime(pool);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.destroy()));
  await pool.end();
  await database.drop();
});

beforeEach(() => {
  provider = smsProvider(`provider-${(count += 1)}`);
});

function sqlOf(worker: 0 | 1): Sql {
  const source = workers[worker];
  if (source === undefined) throw new Error('there are two');
  return new Sql(source);
}

/** What one of the two workers asks Postgres. */
const store = (worker: 0 | 1): ProviderHealthRows => new ProviderHealthRows(sqlOf(worker));

/** The gates of a worker that remembers nothing yet. */
function gates(worker: 0 | 1, given = provider): ProviderGates {
  const sql = sqlOf(worker);
  const providers = new GivenProviders([given], store(worker));
  return new ProviderGates(
    providers,
    new PgUnitOfWork(sql),
    new ChangeProviderHealth(providers, new PgEventsStore(sql, new LaggingReads(sql)), new KeptLog()),
  );
}

async function later(interval: string): Promise<void> {
  await pool.query('UPDATE test_clock SET shift = shift + $1::interval', [interval]);
}

async function events(): Promise<readonly { type: string; data: unknown }[]> {
  const { rows } = await pool.query<{ type: string; data: unknown }>(
    `SELECT type, data FROM events WHERE aggregate_type = 'notification_provider_health' AND aggregate_id = $1
     ORDER BY position`,
    [provider.id],
  );
  return rows;
}

const types = async () => (await events()).map(({ type }) => type.replace('notification_provider.', ''));
const row = async () => (await store(1).list()).find(({ id }) => id === provider.id);

const down = () => new ChannelError('twilio_http_503', 'retryable');
const suspended = () => new ChannelError('twilio_20005', 'retryable', 600_000, 'provider');

/** Whether a message could leave, as a worker finds that has just started. */
async function isOpen(worker: 0 | 1, urgent = false): Promise<boolean> {
  return (await gates(worker).openChannels(urgent)).open.includes('sms');
}

async function openIt(): Promise<void> {
  for (let times = 0; times < FAILURES_TO_OPEN; times += 1) await gates(0).failed(provider, down());
}

describe('the circuit breaker of a provider, shared by two workers', () => {
  it('opens at the fifth failure in a row, whoever had it, and tells so once', async () => {
    for (let times = 1; times < FAILURES_TO_OPEN; times += 1) {
      await gates(times % 2 === 0 ? 0 : 1).failed(provider, down());
    }
    expect(await isOpen(0)).toBe(true);
    expect(await types()).toEqual([]);
    await gates(0).failed(provider, down());
    for (const worker of [0, 1] as const) {
      expect(await isOpen(worker)).toBe(false);
      // somebody waits for it, so it may find out
      expect(await isOpen(worker, true)).toBe(true);
    }
    expect(await types()).toEqual(['opened']);
    expect((await events())[0]?.data).toMatchObject({ channel: 'sms', reason: 'twilio_http_503' });
  });

  it('counts each of many failures at once, and opens once', async () => {
    const workers = Array.from({ length: 2 * FAILURES_TO_OPEN }, (_, index) =>
      gates(index % 2 === 0 ? 0 : 1).failed(provider, down()),
    );
    await Promise.all(workers);
    expect(await row()).toMatchObject({ failures: 2 * FAILURES_TO_OPEN, openings: 1 });
    expect(await types()).toEqual(['opened']);
  });

  it('is kept closed by a success between failures', async () => {
    for (let times = 1; times < FAILURES_TO_OPEN; times += 1) await gates(0).failed(provider, down());
    await gates(1).succeeded(provider);
    await gates(0).failed(provider, down());
    expect(await isOpen(1)).toBe(true);
    expect(await row()).toMatchObject({ failures: 1, openings: 0 });
  });

  it('takes no note of what is about one message only', async () => {
    for (let times = 0; times < FAILURES_TO_OPEN; times += 1) {
      await gates(0).failed(provider, new ChannelError('twilio_21211', 'terminal'));
    }
    expect(await row()).toBeUndefined();
    expect(await isOpen(1)).toBe(true);
  });

  it('lets nobody probe before its time, then one of many, and another one when that one never came back', async () => {
    await openIt();
    expect(await store(1).takeProbe(provider, false, HOLD_MS)).toBe(false);
    await later('6 s');
    expect(await isOpen(1)).toBe(true);
    const race = async () =>
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store(index % 2 === 0 ? 0 : 1).takeProbe(provider, false, HOLD_MS),
        ),
      );
    expect((await race()).filter(Boolean)).toHaveLength(1);
    await later('39 s');
    expect((await race()).filter(Boolean)).toHaveLength(0);
    await later('2 s');
    expect((await race()).filter(Boolean)).toHaveLength(1);
  });

  it('admits one urgent message at a time while it is open', async () => {
    await openIt();
    const race = await Promise.all(
      Array.from({ length: 6 }, (_, index) => gates(index % 2 === 0 ? 0 : 1).enter(provider, true)),
    );
    expect(race.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    await later('3 s');
    expect(await gates(1).enter(provider, true)).toMatchObject({ kind: 'admitted' });
  });

  it('closes for all when the probe succeeds', async () => {
    await openIt();
    await later('6 s');
    expect(await gates(1).enter(provider, false)).toMatchObject({ kind: 'admitted' });
    expect(await gates(0).enter(provider, false)).toMatchObject({ kind: 'closed' });
    await gates(1).succeeded(provider);
    expect(await row()).toMatchObject({ failures: 0, openings: 0, openUntil: undefined, paused: false });
    for (const worker of [0, 1, 0] as const) {
      expect(await gates(worker).enter(provider, false)).toMatchObject({ kind: 'admitted' });
    }
    expect(await types()).toEqual(['opened', 'resumed']);
  });

  it('stays open for longer when the probe fails, and then may be probed again', async () => {
    await openIt();
    await later('6 s');
    expect(await gates(1).enter(provider, false)).toMatchObject({ kind: 'admitted' });
    await gates(1).failed(provider, down());
    expect(await row()).toMatchObject({ openings: 2 });
    // twice five seconds, less a quarter at most
    await later('5 s');
    expect(await isOpen(0)).toBe(false);
    await later('6 s');
    // the probe that failed does not hold the next one up
    expect(await gates(0).enter(provider, false)).toMatchObject({ kind: 'admitted' });
    expect(await types()).toEqual(['opened']);
  });

  it('is paused at the first word about the account, for as long as it says, for urgent ones too', async () => {
    await gates(0).failed(provider, suspended());
    expect(await types()).toEqual(['paused']);
    expect(await isOpen(1, true)).toBe(false);
    expect(await store(1).takeProbe(provider, true, HOLD_MS)).toBe(false);
    // it was on its way before
    await gates(1).succeeded(provider);
    expect(await row()).toMatchObject({ paused: true });
    await later('601 s');
    expect(await gates(1).enter(provider, false)).toMatchObject({ kind: 'admitted' });
    await gates(1).succeeded(provider);
    expect(await types()).toEqual(['paused', 'resumed']);
  });

  it('forgets what was about other settings', async () => {
    await openIt();
    const changed = { ...provider, version: '2' };
    const fresh = gates(1, changed);
    expect((await fresh.openChannels(false)).open).toEqual(['sms']);
    await fresh.failed(changed, down());
    expect(await row()).toMatchObject({ version: '2', failures: 1, openings: 0, openUntil: undefined });
  });

  it('is not written where a message rolls its transaction back', async () => {
    const unitOfWork = new PgUnitOfWork(sqlOf(0));
    const half = unitOfWork.run(async (tx) => {
      const { health } = await store(0).lock(tx, provider);
      expect(health).toEqual(HEALTHY);
      await store(0).write(tx, provider, { ...HEALTHY, failures: 4 });
      throw new Error('the connection went');
    });
    await expect(half).rejects.toThrow('the connection went');
    expect(await row()).toBeUndefined();
  });
});

/**
 * So slow that what the test takes is nothing against a turn: one message in a quarter of an hour, and turns are taken
 * for half an hour ahead.
 */
describe('the rate of a provider, shared by two workers', () => {
  const TURN_MS = 900_000;
  const HORIZON_MS = 2 * TURN_MS + TURN_MS / 2;
  const RATE = 1_000 / TURN_MS;

  /** Turns taken by workers that ask at once, in whole turns from now. */
  async function race(asking: number): Promise<number[]> {
    const waits = await Promise.all(
      Array.from({ length: asking }, (_, index) =>
        store(index % 2 === 0 ? 0 : 1).takeTurn(provider, RATE, HORIZON_MS),
      ),
    );
    return waits
      .filter((wait) => wait !== undefined)
      .map((wait) => Math.round(wait / TURN_MS))
      .sort();
  }

  it('gives each turn away once, in the first place and ever after, and none beyond the horizon', async () => {
    expect(await race(24)).toEqual([0, 1, 2]);
    expect(await race(24)).toEqual([]);
    await later('15 min');
    expect(await race(24)).toEqual([2]);
  });

  it('saves up no turns that nobody took', async () => {
    expect(await race(2)).toEqual([0, 1]);
    await later('1 day');
    expect(await race(24)).toEqual([0, 1, 2]);
  });

  it('is that of a provider whose breaker has been at work', async () => {
    await gates(0).failed(provider, down());
    expect(await race(24)).toEqual([0, 1, 2]);
    expect(await row()).toMatchObject({ failures: 1 });
  });

  it('is each provider’s own', async () => {
    expect(await race(24)).toEqual([0, 1, 2]);
    const other = smtpProvider(`${provider.id}-other`);
    expect(await store(0).takeTurn(other, RATE, HORIZON_MS)).toBe(0);
  });
});
