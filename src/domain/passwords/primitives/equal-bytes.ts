import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time; lengths are no secret, since the stored hash says its own. */
export function equalBytes(computed: Uint8Array, stored: Uint8Array): boolean {
  return computed.length === stored.length && timingSafeEqual(computed, stored);
}

/** The same for two texts of the characters that hashes are written in. */
export function equalText(computed: string, stored: string): boolean {
  return equalBytes(Buffer.from(computed, 'latin1'), Buffer.from(stored, 'latin1'));
}
