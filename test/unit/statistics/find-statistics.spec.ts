import { describe, expect, it } from 'vitest';
import {
  FindStatistics,
  isTimeZone,
  type StatisticsRange,
} from '../../../src/domain/statistics/find-statistics.js';
import { StatisticsStore, type HourCount } from '../../../src/domain/statistics/statistics.store.js';
import { SetClock } from '../../support/set-clock.js';

class Counted extends StatisticsStore {
  from: Date | undefined;

  constructor(private readonly counts: readonly HourCount[] = []) {
    super();
  }

  override add(): Promise<void> {
    throw new Error('not asked for');
  }

  override list(_orgId: unknown, from: Date): Promise<readonly HourCount[]> {
    this.from = from;
    return Promise.resolve(this.counts.filter(({ hour }) => hour >= from));
  }

  override smsByOrganization(): Promise<never> {
    throw new Error('not asked for');
  }
}

async function find(now: string, range: StatisticsRange, timeZone: string, counts?: readonly HourCount[]) {
  return await new FindStatistics(new Counted(counts), new SetClock(Date.parse(now))).execute({
    range,
    timeZone,
  });
}

const starts = async (...asked: [string, StatisticsRange, string]) =>
  (await find(...asked)).periods.map(({ start }) => start.toISOString());

describe('the periods of statistics', () => {
  it('are 24 hours, the current one last, whatever the zone', async () => {
    const hours = await starts('2026-11-26T20:48:29Z', '24h', 'Asia/Kolkata');
    expect(hours).toHaveLength(24);
    expect([hours[0], hours.at(-1)]).toEqual(['2026-11-25T21:00:00.000Z', '2026-11-26T20:00:00.000Z']);
  });

  it('are days of the zone, today last', async () => {
    const days = await starts('2026-11-26T23:30:00Z', '7d', 'Europe/Berlin');
    expect(days).toHaveLength(7);
    expect([days[0], days.at(-1)]).toEqual(['2026-11-20T23:00:00.000Z', '2026-11-26T23:00:00.000Z']);
    expect((await starts('2026-11-26T23:30:00Z', '30d', 'UTC'))[0]).toBe('2026-10-28T00:00:00.000Z');
  });

  it('are as many where clocks change, whose days are longer or shorter', async () => {
    const days = await starts('2026-10-28T12:00:00Z', '30d', 'Europe/Berlin');
    expect(days).toHaveLength(30);
    expect(days).toContain('2026-10-24T22:00:00.000Z');
    expect(days).toContain('2026-10-25T23:00:00.000Z');
    expect(await starts('2026-03-30T12:00:00Z', '7d', 'America/New_York')).toHaveLength(7);
  });

  it('begin with the hour after where a zone is half an hour off', async () => {
    // midnight there is 18:30Z
    expect((await starts('2026-11-26T20:00:00Z', '7d', 'Asia/Kolkata')).at(-1)).toBe(
      '2026-11-26T19:00:00.000Z',
    );
  });
});

it('adds hours up by the day, and gives empty days too', async () => {
  const count = (hour: string, count_: number): HourCount => ({
    hour: new Date(hour),
    counted: 'tokensIssued',
    count: count_,
  });
  const { periods, totals } = await find('2026-11-26T10:00:00Z', '7d', 'UTC', [
    count('2026-11-19T23:00:00Z', 1),
    count('2026-11-24T00:00:00Z', 2),
    count('2026-11-24T23:00:00Z', 4),
    count('2026-11-26T10:00:00Z', 8),
  ]);
  expect(periods.map(({ tokensIssued }) => tokensIssued)).toEqual([0, 0, 0, 0, 6, 0, 8]);
  expect(totals).toMatchObject({ tokensIssued: 14, newUsers: 0 });
});

it('knows time zones by their names', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])
    expect([name, isTimeZone(name)]).toEqual([name, true]);
  for (const name of ['Mars/Olympus', ';', '']) expect([name, isTimeZone(name)]).toEqual([name, false]);
});
