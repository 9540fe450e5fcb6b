import { pbkdf2 as derive, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { HashInspection, PasswordScheme } from './password-scheme.js';
import { HashRejected } from './password-scheme.js';
import { decodeStrictBase64 } from './strict-base64.js';

/**
 * PBKDF2 (RFC 8018 §5.2) as `$pbkdf2-<digest>$<iterations>$<salt>$<hash>`; `$pbkdf2$` means SHA-1. Salt and
 * hash are standard base64 or its adapted form with `.` for `+`, padded or not, but one alphabet per hash.
 */
interface Pbkdf2Hash {
  readonly digest: string;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const deriveKey = promisify(derive);

/** Names in the encoded form -> digest and its output length in bytes. */
const digests = new Map([
  ['pbkdf2', { digest: 'sha1', bytes: 20 }],
  ['pbkdf2-sha1', { digest: 'sha1', bytes: 20 }],
  ['pbkdf2-sha224', { digest: 'sha224', bytes: 28 }],
  ['pbkdf2-sha256', { digest: 'sha256', bytes: 32 }],
  ['pbkdf2-sha384', { digest: 'sha384', bytes: 48 }],
  ['pbkdf2-sha512', { digest: 'sha512', bytes: 64 }],
]);

const MOST_ITERATIONS = 2_000_000;
/**
 * Each block of derived key costs all iterations again. Four blocks at the highest iteration count leave room
 * for what exporters write (64 bytes with SHA-1) and keep the dearest hash at a few seconds of one slot.
 */
const MOST_WORK = 4 * MOST_ITERATIONS;
/** NIST SP 800-63B §5.1.1.2 asks for 10,000 iterations at least. */
const FEWEST_STRONG_ITERATIONS = 10_000;
/** RFC 8018 §4.1 asks for eight octets at least. */
const SHORTEST_STRONG_SALT = 8;
const LONGEST_SALT = 1024;
/** Under 128 bits a hash is matched by chance or brute force; past 512 bytes no exporter goes. */
const SHORTEST_HASH = 16;
const LONGEST_HASH = 512;

function parse(encoded: string): Pbkdf2Hash {
  const parts = encoded.split('$');
  const [, name = '', rounds = '', saltText = '', hashText = ''] = parts;
  const known = digests.get(name);
  if (known === undefined) throw new HashRejected('unknown-scheme', 'this is no PBKDF2 hash');
  if (parts.length !== 5) {
    throw new HashRejected('wrong-part-count', `wanted $${name}$<iterations>$<salt>$<hash>`);
  }
  if (!/^[1-9][0-9]*$/.test(rounds)) {
    throw new HashRejected(
      'bad-cost',
      'iterations must be a decimal number from 1, without sign or leading zero',
    );
  }
  const iterations = Number(rounds);
  if (iterations > MOST_ITERATIONS) {
    throw new HashRejected('cost-too-high', `at most ${MOST_ITERATIONS} iterations`);
  }
  const both = saltText + hashText;
  if (both.includes('.') && both.includes('+')) {
    throw new HashRejected('mixed-alphabets', 'salt and hash must keep to one base64 alphabet');
  }
  const salt = decodeStrictBase64(saltText.replaceAll('.', '+'));
  if (salt === undefined || salt.length > LONGEST_SALT) {
    throw new HashRejected('bad-salt', `the salt must be base64 of 1 to ${LONGEST_SALT} bytes`);
  }
  const hash = decodeStrictBase64(hashText.replaceAll('.', '+'));
  if (hash === undefined || hash.length < SHORTEST_HASH || hash.length > LONGEST_HASH) {
    throw new HashRejected(
      'bad-hash',
      `the hash must be base64 of ${SHORTEST_HASH} to ${LONGEST_HASH} bytes`,
    );
  }
  if (iterations * Math.ceil(hash.length / known.bytes) > MOST_WORK) {
    throw new HashRejected('cost-too-high', `at most ${MOST_WORK} iterations over all blocks of the hash`);
  }
  return { digest: known.digest, iterations, salt, hash };
}

export const pbkdf2: PasswordScheme = {
  forms: [...digests.keys()],

  recognises: (encoded) => digests.has(/^\$([^$]*)/.exec(encoded)?.[1] ?? ''),

  inspect(encoded: string): HashInspection {
    const { digest, iterations, salt } = parse(encoded);
    return {
      scheme: `pbkdf2-${digest}`,
      weak: iterations < FEWEST_STRONG_ITERATIONS || salt.length < SHORTEST_STRONG_SALT,
      cost: `${iterations} iterations`,
    };
  },

  async verify(encoded: string, password: Uint8Array): Promise<boolean> {
    const { digest, iterations, salt, hash } = parse(encoded);
    // Constant time; both are of the stored length.
    return timingSafeEqual(await deriveKey(password, salt, iterations, hash.length, digest), hash);
  },
};
