import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { OrgId } from '../shared/ids.js';
import { COUNTED, HOUR_MS, type Counted, type JobCounted } from './counters.js';
import { StatisticsStore, type HourCount, type SmsOfOrganization } from './statistics.store.js';

/** How far back: the last 24 hours by the hour, or so many days, today among them. */
export const RANGES = ['24h', '7d', '30d'] as const;
export type StatisticsRange = (typeof RANGES)[number];

const DAYS: Readonly<Record<Exclude<StatisticsRange, '24h'>, number>> = { '7d': 7, '30d': 30 };
const HOURS_OF_DAY = 24;
/** Whoever looks for those that spend most reads no further. */
const MOST_ORGANIZATIONS = 10;
/** Days that a clock change makes longer, and the part of today that is over. */
const SPARE_HOURS = 26;

interface StatisticsQuery {
  /** Undefined for the whole instance. */
  readonly orgId?: OrgId | undefined;
  readonly range: StatisticsRange;
  /** Where days begin; one that `isTimeZone` knows. */
  readonly timeZone: string;
}

type Totals = Readonly<Record<Counted, number>>;

/** An hour or a day, and what happened in it. */
interface Period extends Totals {
  readonly start: Date;
}

export interface Statistics {
  /** Every period of the range, oldest first, the empty ones too; the last is not over yet. */
  readonly periods: readonly Period[];
  readonly totals: Totals;
}

/** Of one queue. */
interface JobPeriod {
  readonly start: Date;
  readonly completed: number;
  readonly failed: number;
}

export interface JobStatistics {
  readonly name: string;
  readonly periods: readonly JobPeriod[];
}

/** What was counted, as charts show it. */
@Injectable()
export class FindStatistics {
  constructor(
    private readonly statistics: StatisticsStore,
    private readonly clock: Clock,
  ) {}

  async execute({ orgId, range, timeZone }: StatisticsQuery): Promise<Statistics> {
    const { starts, counts } = await this.read(orgId, range, timeZone);
    return { periods: fill(starts, counts), totals: totalsOf(counts) };
  }

  /** Of these queues of the instance, in their order. */
  async ofQueues(
    names: readonly string[],
    { range, timeZone }: Omit<StatisticsQuery, 'orgId'>,
  ): Promise<readonly JobStatistics[]> {
    const { starts, counts } = await this.read(undefined, range, timeZone);
    return names.map((name) => ({ name, periods: fillJobs(starts, counts, name) }));
  }

  /** The organizations of the instance whose SMS cost most. */
  async smsByOrganization({
    range,
    timeZone,
  }: Omit<StatisticsQuery, 'orgId'>): Promise<readonly SmsOfOrganization[]> {
    const [from] = periodsOf(this.clock.nowMs(), range, timeZone);
    if (from === undefined) throw new Error('a range has periods');
    return await this.statistics.smsByOrganization(new Date(from), MOST_ORGANIZATIONS);
  }

  private async read(orgId: OrgId | undefined, range: StatisticsRange, timeZone: string) {
    const starts = periodsOf(this.clock.nowMs(), range, timeZone);
    const [from] = starts;
    if (from === undefined) throw new Error('a range has periods');
    return { starts, counts: await this.statistics.list(orgId, new Date(from)) };
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
  each(starts, counts, (at, counted, count) => {
    const period = periods[at];
    if (period !== undefined && isCounted(counted)) period[counted] += count;
  });
  return periods;
}

function fillJobs(
  starts: readonly number[],
  counts: readonly HourCount[],
  name: string,
): readonly JobPeriod[] {
  const periods = starts.map((start) => ({ start: new Date(start), completed: 0, failed: 0 }));
  each(starts, counts, (at, counted, count) => {
    const period = periods[at];
    if (period === undefined) return;
    if (counted === `jobs.${name}.completed`) period.completed += count;
    if (counted === `jobs.${name}.failed`) period.failed += count;
  });
  return periods;
}

/** Assigns each count to its period; both are in the order of time. */
function each(
  starts: readonly number[],
  counts: readonly HourCount[],
  tell: (at: number, counted: Counted | JobCounted, count: number) => void,
): void {
  let at = 0;
  for (const { hour, counted, count } of counts) {
    while (at + 1 < starts.length && (starts[at + 1] ?? Infinity) <= hour.getTime()) at += 1;
    tell(at, counted, count);
  }
}

/** What a later release counts is not shown by this one. */
function isCounted(counted: string): counted is Counted {
  return (COUNTED as readonly string[]).includes(counted);
}

function totalsOf(counts: readonly HourCount[]): Totals {
  const totals = nothing();
  for (const { counted, count } of counts) if (isCounted(counted)) totals[counted] += count;
  return totals;
}

function nothing(): Record<Counted, number> {
  return Object.fromEntries(COUNTED.map((counted) => [counted, 0])) as Record<Counted, number>;
}
