import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { say, words } from '../app/words.ts';

const t = words({ en, de });

export const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;
export const UNIT_NAMES = Object.keys(UNITS) as readonly Unit[];

/** `"900s"`, as the APIs have durations. */
export function secondsOf(duration: string): number {
  return Number(duration.replace(/s$/, ''));
}

/** The largest unit in which it is a whole number. */
export function unitOf(seconds: number): Unit {
  return [...UNIT_NAMES].toReversed().find((unit) => seconds % UNITS[unit] === 0 && seconds > 0) ?? 'seconds';
}

/** "15 minutes" */
export function inWords(duration: string | number): string {
  const seconds = typeof duration === 'number' ? duration : secondsOf(duration);
  const unit = unitOf(seconds);
  return say(t.durations[unit], { count: seconds / UNITS[unit] });
}

/** "15.3 hours": in the largest unit that it has one of, where a whole number of a smaller one says less. */
export function roughly(duration: string): string {
  const seconds = secondsOf(duration);
  const unit = [...UNIT_NAMES].toReversed().find((name) => seconds >= UNITS[name]) ?? 'seconds';
  return say(t.durations[unit], { count: Math.round((seconds / UNITS[unit]) * 10) / 10 });
}
