/**
 * What a file brings in, in the order in which one thing needs another (protocol §2.1): chunks of a later pass wait
 * until none of an earlier one is left. Numbers leave room between them, for they stand in rows.
 */
export const PASSES = {
  organizations: 10,
  domains: 12,
  policies: 14,
  projects: 20,
  roles: 22,
  applications: 24,
  users: 50,
  metadata: 60,
  keys: 62,
  projectGrants: 66,
  grants: 70,
  members: 80,
  /** What rests goes to rest when everything that needs it awake is in. */
  states: 90,
} as const;

export type ImportPass = (typeof PASSES)[keyof typeof PASSES];
