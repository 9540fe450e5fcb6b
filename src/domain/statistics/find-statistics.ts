import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { OrgId } from '../shared/ids.js';
import { COUNTED, HOUR_MS, type Counted } from './counters.js';
import { StatisticsStore, type HourCount } from './statistics.store.js';

/** How far back: the last 24 hours by the hour, or so many days, today among them. */
export const RANGES = ['24h', '7d', '30d'] as const;
export type StatisticsRange = (typeof RANGES)[number];

const DAYS: Readonly<Record<Exclude<StatisticsRange, '24h'>, number>> = { '7d': 7, '30d': 30 };
const HOURS_OF_DAY = 24;
/** Days that a clock change makes longer, and the part of today that is over. */
const SPARE_HOURS = 26;

export interface StatisticsQuery {
  /** Undefined for the whole instance. */
  readonly orgId?: OrgId | undefined;
  readonly range: StatisticsRange;
  /** Where days begin; one that `isTimeZone` knows. */
  readonly timeZone: string;
}

export type Totals = Readonly<Record<Counted, number>>;

/** An hour or a day, and what happened in it. */
export interface Period extends Totals {
  readonly start: Date;
}

export interface Statistics {
  /** Every period of the range, oldest first, the empty ones too; the last is not over yet. */
  readonly periods: readonly Period[];
  readonly totals: Totals;
}

/** What was counted, as charts show it. */
@Injectable()
export class FindStatistics {
  constructor(
    private readonly statistics: StatisticsStore,
    private readonly clock: Clock,
  ) {}

  async execute({ orgId, range, timeZone }: StatisticsQuery): Promise<Statistics> {
    const starts = periodsOf(this.clock.nowMs(), range, timeZone);
    const [from] = starts;
    if (from === undefined) throw new Error('a range has periods');
    const counts = await this.statistics.list(orgId, new Date(from));
    return { periods: fill(starts, counts), totals: totalsOf(counts) };
  }
}

/** When each begins, in milliseconds. Hours are those that things are counted by: a day begins with a whole one. */
function periodsOf(nowMs: number, range: StatisticsRange, timeZone: string): readonly number[] {
  const last = Math.floor(nowMs / HOUR_MS);
  if (range === '24h') return hoursUntil(last, HOURS_OF_DAY);
  const days = DAYS[range];
  const dateOf = dates(timeZone);
  const starts: number[] = [];
  let date = '';
  for (const hour of hoursUntil(last, days * HOURS_OF_DAY + SPARE_HOURS)) {
    const next = dateOf(hour);
    if (next !== date) starts.push(hour);
    date = next;
  }
  return starts.slice(-days);
}

function hoursUntil(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => (last - count + 1 + index) * HOUR_MS);
}

function dates(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return (at) => format.format(at);
}

/** Whether it is the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return dates(name)(0) !== '';
  } catch {
    return false;
  }
}

function fill(starts: readonly number[], counts: readonly HourCount[]): readonly Period[] {
  const periods = starts.map((start) => ({ start: new Date(start), ...nothing() }));
  let at = 0;
  for (const { hour, counted, count } of counts) {
    while (at + 1 < starts.length && (starts[at + 1] ?? Infinity) <= hour.getTime()) at += 1;
    const period = periods[at];
    if (period !== undefined) period[counted] += count;
  }
  return periods;
}

function totalsOf(counts: readonly HourCount[]): Totals {
  const totals = nothing();
  for (const { counted, count } of counts) totals[counted] += count;
  return totals;
}

function nothing(): Record<Counted, number> {
  return Object.fromEntries(COUNTED.map((counted) => [counted, 0])) as Record<Counted, number>;
}
