import type { SealedPlace } from '../secrets/sealer.js';

/** Where a signing key's private half is sealed. */
export function privateKeyPlace(kid: string): SealedPlace {
  return { purpose: 'signing-key', table: 'signing_keys', column: 'private_sealed', rowId: kid };
}

export function tokenKeyPlace(id: number): SealedPlace {
  return { purpose: 'token-key', table: 'token_keys', column: 'sealed', rowId: String(id) };
}
