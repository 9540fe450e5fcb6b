import { createHash, randomBytes } from 'node:crypto';

/** `bytes` random bytes as base64url without padding; 32 bytes give 256 bits and 43 characters. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A code a person can type: `length` of 32 characters without look-alikes, 5 bits each. */
export function randomCode(length = 6): string {
  const bytes = randomBytes(length);
  let code = '';
  for (const byte of bytes) code += CODE_ALPHABET.charAt(byte & 31);
  return code;
}

/** How 256-bit random secrets are stored: they cannot be guessed, so a fast hash is enough. */
export function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
