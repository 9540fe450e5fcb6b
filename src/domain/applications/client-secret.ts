import { randomInt } from 'node:crypto';

const LENGTH = 64;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A client secret of 381 random bits, in letters and digits only: nothing in it needs escaping anywhere. */
export function makeClientSecret(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
