import type { SigningAlgorithm } from './signing-key.js';

export abstract class KeySettings {
  /** Of every token, but for those of clients that ask for another one that is served. */
  abstract readonly algorithm: SigningAlgorithm;
  /** How long a replica may go on using what it last read of the keys, in milliseconds. */
  abstract readonly leaseMs: number;
}

/** No token can be given a longer life than this, whatever configuration and policies say (src/config/environment.ts). */
export const LONGEST_TOKEN_SECONDS = 2_592_000;

/** RS256 beside whatever else signs: every OpenID Connect client can verify it (OpenID Connect Core §15.1). */
export function servedAlgorithms({
  algorithm,
}: Pick<KeySettings, 'algorithm'>): readonly [SigningAlgorithm, ...SigningAlgorithm[]] {
  return algorithm === 'RS256' ? ['RS256'] : [algorithm, 'RS256'];
}

/** What an application gets that asked for `wanted`: another one than RS256 was the instance's own when it asked. */
export function servedFor(
  wanted: SigningAlgorithm,
  { algorithm }: Pick<KeySettings, 'algorithm'>,
): SigningAlgorithm {
  return wanted === 'RS256' ? 'RS256' : algorithm;
}
