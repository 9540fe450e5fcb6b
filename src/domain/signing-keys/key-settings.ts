import type { SigningAlgorithm } from './signing-key.js';

export abstract class KeySettings {
  /** Of every token, but for those of clients that ask for another one that is served. */
  abstract readonly algorithm: SigningAlgorithm;
  /** How long a replica may use the keys that it last read, in milliseconds. */
  abstract readonly leaseMs: number;
}

/** No token can be given a longer life than this, whatever configuration and policies say (a test compares src/config/environment.ts). */
export const LONGEST_TOKEN_SECONDS = 2_592_000;

/**
 * RS256 beside whatever else signs: every OpenID Connect client can verify it (OpenID Connect Core §15.1). Beside RS256 itself ES256,
 * because applications under FAPI 2.0 take nothing by RS256 (§5.4.1).
 */
export function servedAlgorithms({
  algorithm,
}: Pick<KeySettings, 'algorithm'>): readonly [SigningAlgorithm, ...SigningAlgorithm[]] {
  return algorithm === 'RS256' ? ['RS256', 'ES256'] : [algorithm, 'RS256'];
}

/** What an application gets that asked for `wanted`, which was served when it asked. */
export function servedFor(
  wanted: SigningAlgorithm,
  settings: Pick<KeySettings, 'algorithm'>,
): SigningAlgorithm {
  return servedAlgorithms(settings).includes(wanted) ? wanted : settings.algorithm;
}
