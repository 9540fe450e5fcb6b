/** What a run of upkeep did: table, or what was done to its rows → how many. Numbers only, nothing of what was in them. */
export type UpkeepCounts = Readonly<Record<string, number>>;

export function addCounts(a: UpkeepCounts, b: UpkeepCounts): UpkeepCounts {
  const sum = { ...a };
  for (const [kind, count] of Object.entries(b)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

/** For the dashboard: `3 codes, 12 sessions`. */
export function describeCounts(counts: UpkeepCounts): string {
  const told = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []));
  return told.length === 0 ? 'nothing to do' : told.join(', ');
}
