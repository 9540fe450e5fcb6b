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
