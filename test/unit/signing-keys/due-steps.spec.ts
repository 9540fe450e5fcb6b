import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainKey, KeysNow } from '../../../src/domain/signing-keys/chain-key.js';
import { dueSteps, takeoversAhead } from '../../../src/domain/signing-keys/due-steps.js';
import { rotationSecondsInForce } from '../../../src/domain/signing-keys/key-set-capacity.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LOOK_MS = 5 * MINUTE_MS;
const LEASE_MS = 10_000;
/** Every day; with two leases, a key appears an hour before. */
const SCHEDULE = { rotationSeconds: 86_400, leadSeconds: 3_580 };

const DETAILS = { sequence: 1n, resourceOwner: '', createdAt: new Date(0), changedAt: new Date(0) };

function key(changes: Partial<ChainKey>): ChainKey {
  return {
    id: 'first',
    chain: 'RS256',
    state: 'current',
    createdAt: new Date(0),
    activatesAt: null,
    byEmergency: false,
    currentSince: null,
    previousSince: null,
    retiresAt: null,
    goneAt: null,
    details: DETAILS as unknown as ChainKey['details'],
    ...changes,
  };
}

const due = (at: number, keys: readonly ChainKey[], schedule = SCHEDULE) =>
  dueSteps({ now: new Date(at), schedule, keys }, LEASE_MS).map(({ kind }) => kind);

/** Takes what is due, as workers do that look every five minutes. @returns when keys took over */
function live(from: number, to: number): number[] {
  let keys: ChainKey[] = [key({ createdAt: new Date(from), currentSince: new Date(from) })];
  const takeovers: number[] = [];
  for (let at = from; at <= to; at += LOOK_MS) {
    const seen = (): KeysNow => ({ now: new Date(at), schedule: SCHEDULE, keys });
    for (let [step] = dueSteps(seen(), LEASE_MS); step !== undefined; [step] = dueSteps(seen(), LEASE_MS)) {
      if (step.kind === 'publish') {
        const { activatesAt } = step;
        keys = [...keys, key({ id: String(at), state: 'next', createdAt: new Date(at), activatesAt })];
      } else if (step.kind === 'promote') {
        const { next, current, retiresAt } = step;
        takeovers.push(at);
        keys = keys.map((one) => {
          if (one.id === next.id) return { ...one, state: 'current', currentSince: new Date(at) };
          return one.id === current?.id ? { ...one, state: 'previous', retiresAt } : one;
        });
      } else {
        const { id } = step.key;
        keys = keys.filter((one) => one.id !== id);
      }
      expect(keys.filter(({ state }) => state === 'current')).toHaveLength(1);
      expect(keys.filter(({ state }) => state === 'next').length).toBeLessThanOrEqual(1);
    }
  }
  return takeovers;
}

describe.each([
  ['Europe/Berlin', 'to summer', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', 'to winter', '2026-10-25T01:00:00Z'],
  ['America/New_York', 'to summer', '2026-03-08T07:00:00Z'],
  ['America/New_York', 'to winter', '2026-11-01T06:00:00Z'],
  // by half an hour only
  ['Australia/Lord_Howe', 'to winter', '2026-04-04T15:00:00Z'],
])('keys of a host in %s, when clocks are changed %s (F30)', (zone, _name, instant) => {
  const change = Date.parse(instant);
  const zoneBefore = process.env['TZ'];

  beforeEach(() => {
    process.env['TZ'] = zone;
    const offsets = [-1, 0].map((ms) => new Date(change + ms).getTimezoneOffset());
    if (offsets[0] === offsets[1]) throw new Error(`no clock is changed in ${zone} then`);
  });
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zoneBefore;
  });

  it.each([-2 * HOUR_MS, -90 * MINUTE_MS, -30 * MINUTE_MS, 0, 30 * MINUTE_MS, 2 * HOUR_MS])(
    'change once in each 24 hours, none left out and none twice, at %i ms from it',
    (offset) => {
      const from = change + offset - 3 * DAY_MS;
      const expected = Array.from({ length: 6 }, (_, n) => from + (n + 1) * DAY_MS);
      expect(live(from, from + 6 * DAY_MS + HOUR_MS)).toEqual(expected);
    },
  );

  it.each([-1, 0, 1, HOUR_MS])('appear and take over at their very moment, %i ms from it', (offset) => {
    const moment = change + offset;
    const aheadMs = SCHEDULE.leadSeconds * 1000 + 2 * LEASE_MS;
    const current = key({ currentSince: new Date(moment + aheadMs - DAY_MS) });
    expect(due(moment - 1, [current])).toEqual([]);
    expect(due(moment, [current])).toEqual(['publish']);
    const next = key({ id: 'second', state: 'next', activatesAt: new Date(moment) });
    expect(due(moment - 1, [current, next])).toEqual([]);
    expect(due(moment, [current, next])).toEqual(['promote']);
    const previous = key({ id: 'zeroth', state: 'previous', retiresAt: new Date(moment) });
    const young = key({ currentSince: new Date(moment) });
    expect(due(moment - 1, [previous, young])).toEqual([]);
    expect(due(moment, [previous, young])).toEqual(['retire']);
  });
});

describe('takeovers ahead', () => {
  const aheadAt = (now: number, keys: readonly ChainKey[], schedule = SCHEDULE) =>
    takeoversAhead({ now: new Date(now), schedule, keys }, LEASE_MS).map(
      ({ chain, id, publishedAt, signsAt }) => [chain, id, publishedAt.getTime(), signsAt.getTime()],
    );

  it('are when a step would be taken: a key that is not made yet is due when it says', () => {
    const keys = [key({ currentSince: new Date(0) })];
    expect(aheadAt(0, keys)).toEqual([['RS256', undefined, 23 * HOUR_MS, DAY_MS]]);
    expect(due(23 * HOUR_MS - 1, keys)).toEqual([]);
    expect(due(23 * HOUR_MS, keys)).toEqual(['publish']);
  });

  it('of a key that is overdue sign when its lead time is over, as the step says, and never in the past', () => {
    const keys = [key({ currentSince: new Date(0) })];
    const now = 3 * DAY_MS;
    expect(aheadAt(now, keys)).toEqual([['RS256', undefined, 23 * HOUR_MS, now + HOUR_MS]]);
    expect(dueSteps({ now: new Date(now), schedule: SCHEDULE, keys }, LEASE_MS)).toEqual([
      { kind: 'publish', chain: 'RS256', activatesAt: new Date(now + HOUR_MS) },
    ]);
  });

  it('of a key that is published are its own times, also where it is the first of its algorithm', () => {
    const next = {
      id: 'next',
      state: 'next',
      createdAt: new Date(5),
      activatesAt: new Date(HOUR_MS),
    } as const;
    expect(
      aheadAt(0, [key({}), key(next), key({ ...next, id: 'first of its kind', chain: 'ES256' })]),
    ).toEqual([
      ['RS256', 'next', 5, HOUR_MS],
      ['ES256', 'first of its kind', 5, HOUR_MS],
    ]);
  });

  it('are none where keys change only when somebody asks, nor where the key set is full', () => {
    expect(aheadAt(0, [key({})], { ...SCHEDULE, rotationSeconds: 0 })).toEqual([]);
    const full = Array.from({ length: 99 }, (_, n) => key({ id: `old ${n}`, state: 'previous' }));
    expect(aheadAt(0, [...full, key({ currentSince: new Date(0) })])).toEqual([]);
  });
});

describe('a period that was saved while fewer algorithms signed', () => {
  const SHORT = { rotationSeconds: 30_000, leadSeconds: 3_580 };
  const rsa = key({});
  const ec = key({ id: 'second', chain: 'ES256' });
  const opaque = key({ id: 'third', chain: 'opaque' });

  it('fills the key set with no more of them: keys change as often as it has room for', () => {
    expect(due(30_000_000, [rsa], SHORT)).toEqual(['publish']);
    expect(due(30_000_000, [opaque], SHORT)).toEqual(['publish']);
    expect(due(30_000_000, [rsa, ec], SHORT)).toEqual([]);
    expect(due(55_149_000, [rsa, ec], SHORT)).toEqual(['publish', 'publish']);
  });

  it('is told by when keys change next', () => {
    const seen = { now: new Date(0), schedule: SHORT, keys: [rsa, ec, opaque] };
    expect(takeoversAhead(seen, LEASE_MS).map(({ chain, signsAt }) => [chain, signsAt.getTime()])).toEqual([
      ['opaque', 30_000_000],
      ['RS256', 55_149_000],
      ['ES256', 55_149_000],
    ]);
  });

  it('is told as the one in force where several sign, and as it was saved elsewhere', () => {
    const inForce = (keys: readonly ChainKey[], schedule = SHORT) =>
      rotationSecondsInForce({ schedule, keys });
    expect(inForce([rsa, ec, opaque])).toBe(55_149);
    expect(inForce([rsa, opaque])).toBe(30_000);
    expect(inForce([rsa, ec], { ...SHORT, rotationSeconds: 90_000 })).toBe(90_000);
    expect(inForce([rsa, ec], { ...SHORT, rotationSeconds: 0 })).toBe(0);
    expect(inForce([])).toBe(30_000);
  });

  it('of none asks for none', () => {
    expect(due(90 * DAY_MS, [rsa, ec], { ...SHORT, rotationSeconds: 0 })).toEqual([]);
  });
});
