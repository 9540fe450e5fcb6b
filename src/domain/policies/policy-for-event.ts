type EventPolicy = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A policy as an event has it, whose values are no lists. */
export function policyForEvent(policy: object): EventPolicy {
  const members = Object.entries(policy as Record<string, unknown>);
  const told = members.map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : value]);
  return Object.fromEntries(told) as EventPolicy;
}
