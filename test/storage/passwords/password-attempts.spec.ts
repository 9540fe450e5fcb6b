import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import {
  defaultAttemptPolicy,
  type AttemptPolicy,
} from '../../../src/domain/passwords/attempts/attempt-policy.js';
import { PasswordsStore } from '../../../src/domain/passwords/passwords.store.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { useApi } from '../../support/api.js';
import { given } from '../../support/given.js';
import { stopTime } from '../../support/stopped-time.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';

let passwords: PasswordsStore;
let user: TestUser;

const api = useApi();
beforeAll(() => stopTime(api.sql));
const world = given(() => anOrganization(api));
beforeAll(async () => {
  passwords = api.app.get(PasswordsStore);
});
beforeEach(async () => {
  user = await aUser(world);
});

const take = (policy: AttemptPolicy = defaultAttemptPolicy) => passwords.takeAttempt(user.userId, policy);

const clear = () =>
  api.app
    .get(UnitOfWork)
    .run((tx) => passwords.clearAttempts(tx, user.orgId, user.userId, defaultAttemptPolicy));

/** Takes attempts until as many count as failures, waiting whatever must be waited. */
async function fail(times: number): Promise<void> {
  for (let failure = 0; failure < times; failure += 1) {
    while ((await take()) === undefined) await api.advance(1);
  }
}

async function row(): Promise<Record<string, unknown> | undefined> {
  const { rows } = await api.sql.query<Record<string, unknown>>(
    'SELECT org_id, attempts, forgiven, wrong, last_at FROM password_attempts WHERE user_id = $1',
    [user.userId],
  );
  return rows[0];
}

describe('counting', () => {
  it('numbers attempts, and counts each as a failure at once', async () => {
    expect(await take()).toEqual({ number: 1, failures: 1 });
    expect(await take()).toEqual({ number: 2, failures: 2 });
    expect(await row()).toMatchObject({ org_id: user.orgId, attempts: 2, forgiven: 0 });
  });

  it('has nothing to count for a user who does not exist', async () => {
    expect(await passwords.takeAttempt('nobody' as UserId, defaultAttemptPolicy)).toBeUndefined();
  });

  it('lets exactly as many through as are free, of 60 at once', async () => {
    const taken = await Promise.all(Array.from({ length: 60 }, () => take()));
    const letIn = taken.filter((attempt) => attempt !== undefined);
    expect(letIn.map(({ failures }) => failures).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(await row()).toMatchObject({ attempts: 5, forgiven: 0 });
  });

  it('lets one through when a wait is over, of 60 at once', async () => {
    await fail(7);
    await api.advance(8);
    const taken = await Promise.all(Array.from({ length: 60 }, () => take()));
    expect(taken.filter((attempt) => attempt !== undefined)).toEqual([{ number: 8, failures: 8 }]);
  });
});

describe('waiting (S045)', () => {
  it.each([
    [4, 0],
    [5, 2],
    [6, 4],
    [7, 8],
    [8, 16],
    [9, 32],
    [10, 900],
    [11, 900],
    [14, 900],
  ])('after %i failures: %i seconds', async (failures, seconds) => {
    await fail(failures);
    if (seconds > 0) {
      await api.advance(seconds - 0.001);
      expect(await take()).toBeUndefined();
      await api.advance(0.001);
    }
    expect(await take()).toMatchObject({ failures: failures + 1 });
  });

  it('is not lengthened by attempts that are refused, and they are not counted (S047)', async () => {
    await fail(10);
    const before = await row();
    for (let second = 0; second < 899; second += 100) {
      await api.advance(99);
      expect(await take()).toBeUndefined();
    }
    expect(await row()).toEqual(before);
    await api.advance(9);
    expect(await take()).toMatchObject({ failures: 11 });
  });

  it('is forgotten after a quiet day, not before', async () => {
    await fail(10);
    await api.advance(86_399);
    expect(await take()).toMatchObject({ failures: 11 });
    await api.advance(86_400);
    expect(await take()).toMatchObject({ number: 12, failures: 1 });
  });

  it('follows the policy that is handed in', async () => {
    const strict = {
      freeFailures: 1,
      firstWaitSeconds: 60,
      lockAfterFailures: 3,
      lockSeconds: 90,
      forgetAfterSeconds: 300,
    };
    const waits: number[] = [];
    for (let failure = 1; failure <= 4; failure += 1) {
      let waited = 0;
      while ((await take(strict)) === undefined) {
        await api.advance(10);
        waited += 10;
      }
      waits.push(waited);
    }
    // doubling stops at the length of a lock
    expect(waits).toEqual([0, 60, 90, 90]);
    const never = { ...strict, freeFailures: 0, lockAfterFailures: 1_000_000, lockSeconds: 86_400 };
    await api.sql.query('UPDATE password_attempts SET attempts = 999999 WHERE user_id = $1', [user.userId]);
    expect(await take(never)).toBeUndefined();
  });
});

describe('forgiving', () => {
  it('a right password: its own attempt and those before it', async () => {
    await fail(4);
    const right = await take();
    if (right !== undefined) await passwords.forgiveAttempts(user.userId, right);
    expect(await take()).toEqual({ number: 6, failures: 1 });
  });

  it('never failures that came later, in whatever order the right ones end', async () => {
    const first = await take();
    await take();
    const second = await take();
    await take();
    if (first === undefined || second === undefined) throw new Error('refused');
    await passwords.forgiveAttempts(user.userId, second);
    await passwords.forgiveAttempts(user.userId, first);
    await passwords.forgiveAttempts(user.userId, second);
    expect(await row()).toMatchObject({ attempts: 4, forgiven: 3 });
  });

  it('leaves nothing of a double click, and of one that begins a wait', async () => {
    for (const before of [0, 4]) {
      await clear();
      await fail(before);
      const clicks = await Promise.all([take(), take()]);
      const right = clicks.filter((attempt) => attempt !== undefined);
      expect(right.length).toBe(before === 0 ? 2 : 1);
      await Promise.all(right.map((attempt) => passwords.forgiveAttempts(user.userId, attempt)));
      expect(await take()).toMatchObject({ failures: 1 });
    }
  });

  it('lifts a wait, and what strangers failed meanwhile stays', async () => {
    await fail(8);
    await api.advance(16);
    const right = await take();
    await api.advance(32);
    await take();
    expect(await take()).toBeUndefined();
    if (right !== undefined) await passwords.forgiveAttempts(user.userId, right);
    expect(await take()).toMatchObject({ failures: 2 });
  });

  it('gives back an attempt that was never evaluated', async () => {
    await take();
    const unheard = await take();
    if (unheard === undefined) throw new Error('refused');
    await passwords.giveBackAttempt(user.userId, unheard);
    expect(await take()).toEqual({ number: 3, failures: 2 });
    await clear();
    await passwords.giveBackAttempt(user.userId, unheard);
    expect(await row()).toMatchObject({ attempts: 3, forgiven: 3 });
  });
});

describe('verdicts', () => {
  const mustWait = () => passwords.mustWait(user.userId, defaultAttemptPolicy, 3_000);

  it('are awaited until each attempt has one', async () => {
    const taken = await Promise.all(Array.from({ length: 5 }, () => take()));
    for (const attempt of taken) {
      expect(await mustWait()).toBe(false);
      if (attempt !== undefined) await passwords.failAttempt(user.userId, attempt, false);
    }
    expect(await row()).toMatchObject({ attempts: 5, forgiven: 0, wrong: 5 });
    expect(await mustWait()).toBe(true);
    await api.advance(2);
    expect(await mustWait()).toBe(false);
    await clear();
    expect(await mustWait()).toBe(false);
  });

  it('are not awaited from a process that died', async () => {
    await fail(10);
    expect(await mustWait()).toBe(false);
    await api.advance(3);
    expect(await mustWait()).toBe(true);
  });

  it('of forgiven attempts change nothing, and wrong ones are never more than attempts', async () => {
    const first = await take();
    const second = await take();
    const third = await take();
    if (first === undefined || second === undefined || third === undefined) throw new Error('refused');
    await passwords.failAttempt(user.userId, first, false);
    await passwords.failAttempt(user.userId, third, false);
    await passwords.forgiveAttempts(user.userId, second);
    expect(await row()).toMatchObject({ attempts: 3, forgiven: 2, wrong: 1 });
    await passwords.failAttempt(user.userId, first, true);
    await passwords.failAttempt(user.userId, third, false);
    expect(await row()).toMatchObject({ attempts: 3, forgiven: 2, wrong: 1 });
    await passwords.giveBackAttempt(user.userId, third);
    expect(await row()).toMatchObject({ attempts: 3, forgiven: 3, wrong: 0 });
  });
});

describe('clearing', () => {
  it('forgives everything, and tells whether there was anything', async () => {
    expect(await clear()).toBe(false);
    await fail(10);
    expect(await clear()).toBe(true);
    expect(await take()).toMatchObject({ failures: 1 });
    await api.advance(86_400);
    expect(await clear()).toBe(false);
  });

  it('is undone with its transaction', async () => {
    await fail(10);
    const undone = api.app.get(UnitOfWork).run(async (tx) => {
      await passwords.clearAttempts(tx, user.orgId, user.userId, defaultAttemptPolicy);
      throw new Error('something else failed');
    });
    await expect(undone).rejects.toThrow('something else');
    expect(await take()).toBeUndefined();
  });

  it('reaches users of its own organization only', async () => {
    await fail(10);
    const other = await anOrganization(api);
    const run = api.app
      .get(UnitOfWork)
      .run((tx) => passwords.clearAttempts(tx, other.orgId, user.userId, defaultAttemptPolicy));
    expect(await run).toBe(false);
    expect(await take()).toBeUndefined();
  });
});

describe('events', () => {
  const events = async (type: string) =>
    (
      await api.sql.query(
        'SELECT org_id, aggregate_type, aggregate_id, sequence, actor_id, fields, data FROM events WHERE type = $1',
        [type],
      )
    ).rows;

  it('a lock names the user and the number of failures', async () => {
    await fail(9);
    for (const locks of [false, true]) {
      while ((await take()) === undefined) await api.advance(1);
      const { attempts: number } = (await row()) as { attempts: number };
      await passwords.failAttempt(user.userId, { number, failures: number }, locks);
    }
    expect(await events('user.password_locked')).toEqual([
      {
        org_id: user.orgId,
        aggregate_type: 'user',
        aggregate_id: user.userId,
        sequence: '1',
        actor_id: null,
        fields: [],
        data: { failures: 11 },
      },
    ]);
  });

  it('one alarm is raised per interval, however many replicas notice (S048)', async () => {
    const log = api.app.get(EventsStore);
    const raise = () =>
      Promise.all(
        Array.from({ length: 20 }, () => log.raiseAlarm('guessing_alarm', 900, { refusalsPerMinute: 5 })),
      );
    expect((await raise()).filter(Boolean)).toHaveLength(1);
    await api.advance(899);
    expect((await raise()).filter(Boolean)).toHaveLength(0);
    await api.advance(1);
    expect((await raise()).filter(Boolean)).toHaveLength(1);
    const written = await events('instance.guessing_alarm');
    expect(written).toMatchObject([
      { org_id: null, aggregate_type: 'instance', sequence: '1', data: { refusalsPerMinute: 5 } },
      { org_id: null, aggregate_type: 'instance', sequence: '2', data: { refusalsPerMinute: 5 } },
    ]);
  });
});
