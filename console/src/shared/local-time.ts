/** What a field of the kind `datetime-local` has for a moment: to the minute, in the browser's own time zone. */
export function localTimeOf(at: Date): string {
  const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');
  // not by the offset: it is rounded to minutes, also of the years of old that somebody types on the way to 2026
  const day = [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())].join('-');
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}`;
}

/** The same moment for an address, where it is the same for whoever opens it, in any time zone; empty for what is no time. */
export function universalTimeOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().replace(':00.000Z', 'Z');
}

const TYPED = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?$/;

/**
 * A moment as it is typed, `2026-01-31 12:00` in the browser's own time zone or with a zone. Undefined for anything else: browsers
 * read `01.12.2026` as a day in January, and a day without a time in UTC.
 */
export function typedMoment(typed: string): Date | undefined {
  const text = typed.trim();
  const at = new Date(text.replace(' ', 'T'));
  return TYPED.test(text) && !Number.isNaN(at.getTime()) ? at : undefined;
}
