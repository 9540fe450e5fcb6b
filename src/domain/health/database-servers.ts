/**
 * Whether reads that may lag go to the replica of DATABASE_READ_URL, and if not, why: it does not answer, it lacks what was
 * acknowledged too long ago, or it is a server that repeats no primary of ours.
 */
export const REPLICA_STATES = ['used', 'away', 'behind', 'not_a_replica'] as const;
export type ReplicaState = (typeof REPLICA_STATES)[number];

/** The servers of PostgreSQL, as this process finds them. */
export abstract class DatabaseServers {
  /** Undefined where there is none. */
  abstract readonly replica: ReplicaState | undefined;
  /** How often another server took the place of the one before, since this process began. */
  abstract readonly primaryChanges: number;
}
