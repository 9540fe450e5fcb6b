import { argon2 } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import type { HashInspection, PasswordScheme } from './password-scheme.js';
import { HashRejected } from './password-scheme.js';
import { pbkdf2 } from './pbkdf2.js';

/** Every scheme that may be imported and verified. */
const schemes: readonly PasswordScheme[] = [argon2, bcrypt, pbkdf2];

/** Longest encoded hash that is looked at: the largest salt and hash of any scheme fit with room to spare. */
const LONGEST_ENCODED = 4096;

/** The scheme that an encoded hash claims; throws HashRejected when none does. */
export function schemeOf(encoded: string): PasswordScheme {
  if (encoded.length > LONGEST_ENCODED) {
    throw new HashRejected('too-long', `at most ${LONGEST_ENCODED} characters`);
  }
  const scheme = schemes.find((candidate) => candidate.recognises(encoded));
  if (scheme === undefined) {
    const allowed = schemes.flatMap((candidate) => candidate.forms).join(', ');
    throw new HashRejected('unknown-scheme', `allowed are ${allowed}`);
  }
  return scheme;
}

/** Checks an encoded hash without hashing anything; throws HashRejected. Import calls it for each record. */
export function inspectHash(encoded: string): HashInspection {
  return schemeOf(encoded).inspect(encoded);
}
