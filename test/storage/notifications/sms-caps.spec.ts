import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { AdmitSms, type SmsRefusal } from '../../../src/domain/notifications/abuse/admit-sms.js';
import { SmsCaps, type WantedSms } from '../../../src/domain/notifications/abuse/sms-caps.js';
import { SmsLimitSettings, type Cap } from '../../../src/domain/notifications/abuse/sms-limit-settings.js';
import { SmsMeter } from '../../../src/domain/notifications/abuse/sms-meter.js';
import { SharedClock } from '../../../src/domain/shared/clock.js';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { Counters } from '../../../src/domain/statistics/counters.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgEventsStore } from '../../../src/storage/postgres/events/events.store.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { PgSmsLimitsStore } from '../../../src/storage/postgres/notifications/sms-limits.store.js';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { KeptLog } from '../../support/sending.js';

const HOUR = 3_600;
/** What is counted counts for a twenty-fourth of its window longer at most. */
const PART = HOUR / 24;

/** No limit but one cap on the user. */
class OneCap extends SmsLimitSettings {
  override readonly countries = new Set(['*']);
  override readonly numberTypes = new Set(['*']);
  override readonly spendPerDay: number = 0;
  override readonly costs = new Map<string, number>();
  override readonly prefixTail = 4;
  override readonly conversion = { sends: 0, percent: 0, windowSeconds: 0, graceSeconds: 0 };
  override readonly blockSeconds = 0;
  override readonly caps;

  constructor(
    most: number,
    override readonly cooldownSeconds = 0,
  ) {
    super();
    const none: readonly Cap[] = [];
    const user = most === 0 ? none : [{ most, withinSeconds: HOUR }];
    this.caps = { user, number: none, prefix: none, address: none, organization: none };
  }
}

/** No limit but those on an organization. */
class OfAnOrganization extends OneCap {
  override readonly caps;

  constructor(
    most: number,
    override readonly spendPerDay: number,
  ) {
    super(0);
    const none: readonly Cap[] = [];
    const organization = most === 0 ? none : [{ most, withinSeconds: HOUR }];
    this.caps = { user: none, number: none, prefix: none, address: none, organization };
  }

  override readonly costs = new Map([['default', 10]]);
}

class NoMeter extends SmsMeter {
  override enqueued(): void {}
  override refused(): void {}
  override blocked(): void {}
}

let database: TestDatabase;
let pool: pg.Pool;
let dataSource: DataSource;
let sql: Sql;
let sealer: PgSealer;
let count = 0;
let wanted: WantedSms;
/** In seconds, as the database has it; what the test itself takes is nothing beside it. */
let now = 0;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  const settings = { url: database.url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'sms' };
  dataSource = await createDataSource(settings).initialize();
  sql = new Sql(dataSource);
  sealer = await PgSealer.open(sql, readConfig({}).masterKeys);
});
afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => {
  const userId = `user-${(count += 1)}` as UserId;
  wanted = { orgId: 'org' as OrgId, userId, number: '+41791234567', origin: 'self', again: true };
});

async function pass(seconds: number): Promise<void> {
  now += seconds;
  await pool.query('UPDATE test_clock SET shift = shift + make_interval(secs => $1)', [seconds]);
}

function limits(settings: SmsLimitSettings): AdmitSms {
  const store = new PgSmsLimitsStore(sql);
  return new AdmitSms(
    store,
    new PgEventsStore(sql, new LaggingReads(sql)),
    new SmsCaps(settings, sealer),
    new NoMeter(),
    new KeptLog(),
    new Counters(new SharedClock(), new PgUnitOfWork(sql)),
  );
}

async function admit(settings: SmsLimitSettings): Promise<SmsRefusal | undefined> {
  const before = await limits(settings).peek(wanted);
  const [refusal] = await new PgUnitOfWork(sql).run((tx) => limits(settings).admit(tx, [wanted]));
  // who turns floods away sees what who counts them sees
  expect(before?.rule).toBe(refusal?.rule);
  return refusal;
}

describe('a cap on SMS', () => {
  it('lets no second helping through where an hour ends', async () => {
    const cap = new OneCap(4);
    expect(await admit(cap)).toBeUndefined();
    await pass(HOUR - 60);
    for (let times = 0; times < 3; times += 1) expect(await admit(cap)).toBeUndefined();
    expect(await admit(cap)).toMatchObject({ rule: 'user' });
    // an hour after the first, which alone makes room
    await pass(60 + PART + 1);
    expect(await admit(cap)).toBeUndefined();
    const refusal = await admit(cap);
    expect(refusal?.rule).toBe('user');
    const wait = refusal?.retryAfterSeconds ?? 0;
    expect(wait).toBeGreaterThan(HOUR - 60 - PART - 60);
    await pass(wait);
    for (let times = 0; times < 3; times += 1) expect(await admit(cap)).toBeUndefined();
    expect(await admit(cap)).toMatchObject({ rule: 'user' });
  });

  it('holds in every hour, whenever somebody asks, and keeps nobody out for longer than by a part', async () => {
    const cap = new OneCap(5);
    const at: number[] = [];
    const within = (seconds: number) => at.filter((time) => time > now - seconds).length;
    // steps that fit neither parts nor hours, some long enough for all to be over
    for (let step = 0; step < 250; step += 1) {
      await pass(step % 40 === 39 ? 4_001 : 17 + ((step * 7_919) % 701));
      const refusal = await admit(cap);
      if (refusal === undefined) {
        // a minute for what the test itself takes
        expect(within(HOUR - 60)).toBeLessThan(5);
        at.push(now);
      } else {
        expect(within(HOUR + PART + 30)).toBe(5);
      }
    }
    expect(at.length).toBeGreaterThan(50);
  });

  it('lets exactly what is left through, of many at once, also where a part begins or is over', async () => {
    const cap = limits(new OneCap(10));
    const race = async (asking: number): Promise<number> => {
      const all = await Promise.all(
        Array.from({ length: asking }, () =>
          new PgUnitOfWork(sql).run(async (tx) => await cap.admit(tx, [wanted])),
        ),
      );
      return all.filter(([refusal]) => refusal === undefined).length;
    };
    expect(await race(3)).toBe(3);
    await pass(PART + 1);
    expect(await race(20)).toBe(7);
    // the first three are over, the others are not
    await pass(HOUR);
    expect(await race(20)).toBe(3);
    await pass(PART);
    expect(await race(20)).toBe(7);
  });

  it('says how long to wait', async () => {
    const cap = new OneCap(3);
    for (let times = 0; times < 3; times += 1) {
      await admit(cap);
      await pass(700);
    }
    for (let times = 0; times < 6; times += 1) {
      const wait = (await admit(cap))?.retryAfterSeconds ?? 0;
      expect(wait).toBeGreaterThan(30);
      await pass(wait - 30);
      expect(await admit(cap)).toBeDefined();
      await pass(30);
      expect(await admit(cap)).toBeUndefined();
    }
  });

  it('is told of when it is used up, and not again for each message while it stays so', async () => {
    const cap = new OneCap(3);
    const told = async () => {
      const { rows } = await pool.query(`SELECT 1 FROM events WHERE actor_id = $1`, [wanted.userId]);
      return rows.length;
    };
    for (let times = 0; times < 3; times += 1) {
      await admit(cap);
      await pass(600);
    }
    expect(await told()).toBe(1);
    await pass(HOUR - 3 * 600 + PART);
    expect(await admit(cap)).toBeUndefined();
    expect(await told()).toBe(1);
    await pass(2 * HOUR);
    for (let times = 0; times < 3; times += 1) await admit(cap);
    expect(await told()).toBe(2);
  });

  it('of one, and the cooldown, end with the second that they were set for', async () => {
    for (const [settings, rule, seconds] of [
      [new OneCap(1), 'user', HOUR],
      [new OneCap(0, 600), 'cooldown', 600],
    ] as const) {
      for (let times = 0; times < 3; times += 1) {
        expect(await admit(settings)).toBeUndefined();
        expect((await admit(settings))?.retryAfterSeconds).toBeLessThanOrEqual(seconds);
        await pass(seconds - 30);
        expect(await admit(settings)).toMatchObject({ rule });
        await pass(30);
      }
    }
  });

  it('keeps what was counted before it was counted in parts', async () => {
    const cap = new OneCap(5);
    await pool.query(
      `INSERT INTO sms_quotas (id, used, ends_at) VALUES ($1, 5, app_now() + interval '20 min')`,
      [`user/${HOUR}/${wanted.userId}`],
    );
    expect((await admit(cap))?.retryAfterSeconds).toBeLessThanOrEqual(1_200);
    await pass(1_200);
    expect(await admit(cap)).toBeUndefined();
  });

  it('needs no more than a row of a bounded size, which upkeep may remove when nothing counts', async () => {
    const cap = new OneCap(1_000);
    for (let times = 0; times < 60; times += 1) {
      await admit(cap);
      await pass(PART / 2 + 1);
    }
    const { rows } = await pool.query<{ parts: number; seconds: number }>(
      `SELECT cardinality(earlier) AS parts, extract(epoch FROM ends_at - app_now())::float8 AS seconds
       FROM sms_quotas WHERE id = $1`,
      [`user/${HOUR}/${wanted.userId}`],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.parts).toBeLessThanOrEqual(24);
    expect(rows[0]?.seconds).toBeGreaterThan(HOUR - 2 * PART);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(HOUR + PART);
  });
});

describe('what strangers use up of the SMS of an organization (S471)', () => {
  const send = async (settings: SmsLimitSettings, changes: Partial<WantedSms> = {}) => {
    wanted = { ...wanted, userId: `user-${(count += 1)}` as UserId, again: false, ...changes };
    return (await admit(settings))?.rule;
  };
  const events = async (orgId: OrgId) =>
    (
      await pool.query<{ most: number }>(
        `SELECT (data ->> 'most')::integer AS most FROM events
         WHERE org_id = $1 AND type = 'sms.limit.reached' ORDER BY position`,
        [orgId],
      )
    ).rows.map(({ most }) => most);

  it.each([
    ['organization', new OfAnOrganization(10, 0), [8, 10]],
    ['spend', new OfAnOrganization(0, 100), [80, 100]],
  ] as const)('leaves a fifth to second factors: %s', async (rule, settings, told) => {
    const orgId = `org-${rule}` as OrgId;
    const stranger = { orgId, toOwner: false };
    for (let times = 0; times < 8; times += 1) expect(await send(settings, stranger)).toBeUndefined();
    expect(await send(settings, stranger)).toBe(rule);
    expect(await events(orgId)).toEqual(told.slice(0, 1));
    const owner = { orgId, toOwner: true };
    for (let times = 0; times < 2; times += 1) expect(await send(settings, owner)).toBeUndefined();
    expect(await send(settings, owner)).toBe(rule);
    expect(await events(orgId)).toEqual(told);
  });

  it('counts what owners and managers have been sent as well, and leaves managers all of it', async () => {
    const settings = new OfAnOrganization(10, 0);
    const orgId = 'org-of-managers' as OrgId;
    for (let times = 0; times < 4; times += 1) {
      expect(await send(settings, { orgId, toOwner: true })).toBeUndefined();
      expect(await send(settings, { orgId, toOwner: false, origin: 'manager' })).toBeUndefined();
    }
    expect(await send(settings, { orgId, toOwner: false, origin: 'self' })).toBe('organization');
    for (let times = 0; times < 2; times += 1)
      expect(await send(settings, { orgId, origin: 'manager' })).toBeUndefined();
    expect(await send(settings, { orgId, origin: 'manager' })).toBe('organization');
  });

  it('leaves a fifth of the spend, whatever one message costs', async () => {
    const settings = new OfAnOrganization(0, 40);
    const orgId = 'org-of-dear-sms' as OrgId;
    for (let times = 0; times < 3; times += 1) expect(await send(settings, { orgId })).toBeUndefined();
    expect(await send(settings, { orgId })).toBe('spend');
    expect(await send(settings, { orgId, toOwner: true })).toBeUndefined();
    expect(await send(settings, { orgId, toOwner: true })).toBe('spend');
  });

  it('is as it was for a cap of fewer than five', async () => {
    const settings = new OfAnOrganization(4, 0);
    const stranger = { orgId: 'org-of-four' as OrgId };
    for (let times = 0; times < 4; times += 1) expect(await send(settings, stranger)).toBeUndefined();
    expect(await send(settings, stranger)).toBe('organization');
  });
});
