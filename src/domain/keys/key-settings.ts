import type { SigningAlgorithm } from './signing-key.js';

export abstract class KeySettings {
  abstract readonly algorithm: SigningAlgorithm;
  /** How long a replica may go on using what it last read of the keys, in milliseconds. */
  abstract readonly leaseMs: number;
}

/** No token can be given a longer life than this, whatever configuration and policies say (src/config/config.ts). */
export const LONGEST_TOKEN_SECONDS = 2_592_000;
