import type { JWK } from 'jose';

/**
 * Signing keys: next → current → previous → gone. A key is published before it signs and stays published until the
 * last token it signed has expired; there is at most one current and one next key per algorithm (partial unique
 * indexes). Private halves are sealed at rest and erased when a key stops signing.
 */
export const SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
export type SigningKeyState = 'next' | 'current' | 'previous' | 'gone';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly state: SigningKeyState;
  /** Public members only, with kid, alg and use. */
  readonly publicJwk: JWK;
}

/** A key as it is stored when made. `private` is PKCS #8 DER, sealed. */
export interface NewSigningKey extends SigningKey {
  /** Of a next key: when it takes over. */
  readonly activatesAt: Date | null;
  readonly byEmergency: boolean;
  readonly privateSealed: Buffer;
  readonly dataKeyId: number;
}
