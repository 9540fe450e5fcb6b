/** As Go writes it: `30m0s`, `1h30m0s`, `90s` becomes `1m30s`. */
export function formatDuration(millis: number): string {
  const hours = Math.floor(millis / 3600_000);
  const minutes = Math.floor((millis % 3600_000) / 60_000);
  const seconds = (millis % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
