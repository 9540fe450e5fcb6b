/** How often keys change. One row in Postgres; the queue holds no more than a mirror of it. */
export interface KeySchedule {
  /** From the moment a key signs until the next one does; 0 = only when somebody asks. */
  readonly rotationSeconds: number;
  /** For so long a key is published before it signs, so that whoever keeps the key set knows it by then. */
  readonly leadSeconds: number;
}

const LONGEST_MAX_AGE_SECONDS = 300;

/** How long a cache may keep the key set: well under the lead time, so that every cache reads it again before a new key signs. */
export function maxAgeSeconds({ leadSeconds }: KeySchedule): number {
  return Math.max(1, Math.min(LONGEST_MAX_AGE_SECONDS, Math.floor(leadSeconds / 4)));
}

/** How long a replica may go by what it last read: never so long that a new key's lead passes it by. */
export function leaseMsOf({ leadSeconds }: KeySchedule, { leaseMs }: { readonly leaseMs: number }): number {
  return Math.min(leaseMs, leadSeconds * 250);
}
