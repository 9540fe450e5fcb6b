import type { HashingLane } from '../schemes/password-scheme.js';
import type { HashingClass } from './hashing-bill.js';

/** Why a hashing was refused: its organization's or address's own work is too much, the process is full, or time is up. */
export type HashingRefusal = 'organization' | 'address' | 'instance' | 'waited too long';

/** Counts for operators how full the hashing pool is. Names of the code only, never of whom it concerns. */
export abstract class HashingMeter {
  /** How many of a class wait in a lane, each time that changes. */
  abstract waiting(lane: HashingLane, kind: HashingClass, count: number): void;

  /** One begins after having waited that long. */
  abstract begun(lane: HashingLane, kind: HashingClass, waitedMs: number): void;

  abstract refused(lane: HashingLane, kind: HashingClass, why: HashingRefusal): void;
}
