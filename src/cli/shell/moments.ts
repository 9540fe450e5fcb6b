import { UsageError } from './exit.js';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** A time in RFC 3339, in short, or as how long ago it was. @throws UsageError */
export function momentOf(option: string, given: string, nowMs = Date.now()): string {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  if (unit !== undefined) {
    return new Date(nowMs - Number(count) * SECONDS[unit as keyof typeof SECONDS] * 1000).toISOString();
  }
  const moment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(given)
    ? new Date(given)
    : undefined;
  if (moment === undefined || Number.isNaN(moment.getTime())) {
    throw new UsageError(
      `${option} is a time such as 2026-01-31 or 2026-01-31T08:00Z, or how long ago: 90s, 15m, 1h, 7d`,
    );
  }
  return moment.toISOString();
}
