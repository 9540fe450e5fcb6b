import type { SigningAlgorithm } from './signing-key.js';

export abstract class KeySettings {
  abstract readonly algorithm: SigningAlgorithm;
  /** How long a replica may go on using what it last read of the keys, in milliseconds. */
  abstract readonly leaseMs: number;
}
