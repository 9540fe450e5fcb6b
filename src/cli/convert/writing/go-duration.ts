const UNITS = new Map([
  ['h', 3600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

/** Milliseconds of a Go duration such as `30m`, `1h30m` or `90s`; undefined for what is none or is not positive. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  const millis = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? '') ?? 0),
    0,
  );
  return millis > 0 && Number.isSafeInteger(Math.round(millis)) ? Math.round(millis) : undefined;
}

/** As Go writes it: `30m0s`, `1h30m0s`, `90s` becomes `1m30s`. */
export function formatDuration(millis: number): string {
  const hours = Math.floor(millis / 3600_000);
  const minutes = Math.floor((millis % 3600_000) / 60_000);
  const seconds = (millis % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
