import { HashRejected } from '../schemes/password-scheme.js';
import { decodeStrictBase64 } from '../schemes/strict-base64.js';

/** Readers for the parts of an encoded hash, each with the rule that its part breaks; none shows what it was given. */

/** Splits at `separator` into exactly `count` parts. */
export function splitParts(text: string, separator: string, count: number, form: string): string[] {
  const parts = text.split(separator);
  if (parts.length !== count) throw new HashRejected('wrong-part-count', `wanted ${form}`);
  return parts;
}

/** A decimal number from 1, without sign or leading zero. Too many digits give a number over every cap. */
export function wholeNumber(text: string, name: string): number {
  if (!/^[1-9][0-9]*$/.test(text)) {
    throw new HashRejected(
      'bad-cost',
      `${name} must be a decimal number from 1, without sign or leading zero`,
    );
  }
  return Number(text);
}

export const LONGEST_SALT = 1024;

/** A salt that is used as the text it is, as Django, Werkzeug and crypt(3) do. */
export function textSalt(text: string): Buffer {
  const salt = Buffer.from(text, 'utf8');
  if (salt.length === 0 || salt.length > LONGEST_SALT) {
    throw new HashRejected('bad-salt', `the salt must have 1 to ${LONGEST_SALT} bytes`);
  }
  return salt;
}

export function base64Salt(text: string): Buffer {
  const salt = decodeStrictBase64(text);
  if (salt === undefined || salt.length > LONGEST_SALT) {
    throw new HashRejected('bad-salt', `the salt must be base64 of 1 to ${LONGEST_SALT} bytes`);
  }
  return salt;
}

/** Base64, padded or not, of bytes whose number somebody else bounds. */
export function base64Hash(text: string): Buffer {
  const hash = decodeStrictBase64(text);
  if (hash === undefined) throw new HashRejected('bad-hash', 'the hash must be base64');
  return hash;
}

/** Digits in either case, since exporters write both. */
export function hexHash(text: string): Buffer {
  if (text.length % 2 !== 0 || !/^[0-9A-Fa-f]+$/.test(text)) {
    throw new HashRejected('bad-hash', 'the hash must be hexadecimal');
  }
  return Buffer.from(text, 'hex');
}
