import { hash, randomFillSync, randomInt } from 'node:crypto';

/**
 * Random bytes are drawn a page at a time: asking the system for a few of them costs as much as for thousands. No
 * byte is ever handed out twice, and what was handed out is wiped from the page.
 */
const PAGE_BYTES = 4096;
const page = Buffer.alloc(PAGE_BYTES);
let used = PAGE_BYTES;

export function randomBytes(count: number): Buffer {
  if (count > PAGE_BYTES) return randomFillSync(Buffer.allocUnsafe(count));
  if (used + count > PAGE_BYTES) {
    randomFillSync(page);
    used = 0;
  }
  const bytes = Buffer.from(page.subarray(used, used + count));
  page.fill(0, used, used + count);
  used += count;
  return bytes;
}

/** `bytes` random bytes as base64url without padding; 32 bytes give 256 bits and 43 characters. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

const ID_BYTES = 16;
/** What an id of ours looks like: nobody looks for what does not. */
export const RANDOM_ID = /^[A-Za-z0-9_-]{22}$/;

/**
 * The id of a thing: 22 characters of base64url, which nobody guesses. None begins with a dash: a command line takes
 * that for an option, and a spreadsheet for a formula.
 */
export function randomId(): string {
  for (;;) {
    const id = randomToken(ID_BYTES);
    if (!id.startsWith('-')) return id;
  }
}

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A code a person can type: `length` of 32 characters without look-alikes, 5 bits each. */
export function randomCode(length = 6): string {
  let code = '';
  for (const byte of randomBytes(length)) code += CODE_ALPHABET.charAt(byte & 31);
  return code;
}

/** A code of digits alone, for the keyboard that telephones bring up for numbers. */
export function randomDigits(length = 6): string {
  return String(randomInt(10 ** length)).padStart(length, '0');
}

/** 32 bytes in base64url: 43 characters, the last of which carries only four bits. */
const SHA256_TEXT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export function isSha256Text(text: string): boolean {
  return SHA256_TEXT.test(text);
}

/** How 256-bit random secrets are stored: they cannot be guessed, so a fast hash is enough. */
export function sha256(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}

/** Letters of an alphabet of any size, each as likely as the others. */
export function randomLetters(alphabet: string, length: number): string {
  let letters = '';
  for (let index = 0; index < length; index += 1) letters += alphabet.charAt(randomInt(alphabet.length));
  return letters;
}
