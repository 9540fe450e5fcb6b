import { createHash } from 'node:crypto';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';

/**
 * at_hash and c_hash (OpenID Connect Core §3.1.3.6, §3.3.2.11): the left half of the hash that goes with the ID
 * token's algorithm. Ed25519 hashes with SHA-512.
 */
export function leftHalfHash(algorithm: SigningAlgorithm, value: string): string {
  const digest = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(value, 'ascii')
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
