/** Names of the fields in which two policies differ, sorted; absent and undefined are the same. */
export function changedFields<Policy extends object>(before: Policy, after: Policy): readonly string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const later = new Map<string, unknown>(Object.entries(after));
  const names = new Set([...earlier.keys(), ...later.keys()]);
  return [...names].filter((name) => earlier.get(name) !== later.get(name)).sort();
}
