import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { HashRejected, type ReadHash } from '../schemes/password-scheme.js';
import { slowThreads } from './digest-threads.js';
import { equalBytes } from './equal-bytes.js';
import { pbkdf2Work } from './hashing-work.js';
import { tellsHmacKeysApart } from './told-apart.js';

/** PBKDF2 (RFC 8018 §5.2) with its caps and floor, whatever dialect it was written in. */
interface Pbkdf2Key {
  readonly digest: Pbkdf2Digest;
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export type Pbkdf2Digest = keyof typeof DIGEST_BYTES;

const DIGEST_BYTES = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 } as const;

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

const deriveKey = promisify(pbkdf2);

export function isPbkdf2Digest(name: string): name is Pbkdf2Digest {
  return Object.hasOwn(DIGEST_BYTES, name);
}

/** Refuses a count before anything long is decoded for it. */
export function requirePbkdf2Iterations(iterations: number): number {
  if (iterations > MOST_ITERATIONS) {
    throw new HashRejected('cost-too-high', `at most ${MOST_ITERATIONS} iterations`);
  }
  return iterations;
}

/** Throws HashRejected for a key outside the bounds. */
export function pbkdf2Hash(key: Pbkdf2Key): ReadHash {
  const { digest, salt, hash } = key;
  const iterations = requirePbkdf2Iterations(key.iterations);
  if (iterations < 1) throw new HashRejected('bad-cost', 'at least 1 iteration');
  if (salt.length === 0 || salt.length > LONGEST_SALT) {
    throw new HashRejected('bad-salt', `the salt must have 1 to ${LONGEST_SALT} bytes`);
  }
  if (hash.length < SHORTEST_HASH || hash.length > LONGEST_HASH) {
    throw new HashRejected('bad-hash', `the hash must have ${SHORTEST_HASH} to ${LONGEST_HASH} bytes`);
  }
  const blocks = Math.ceil(hash.length / DIGEST_BYTES[digest]);
  if (iterations * blocks > MOST_WORK) {
    throw new HashRejected('cost-too-high', `at most ${MOST_WORK} iterations over all blocks of the hash`);
  }
  return {
    scheme: `pbkdf2-${digest}`,
    weak: iterations < FEWEST_STRONG_ITERATIONS || salt.length < SHORTEST_STRONG_SALT,
    cost: `${iterations} iterations`,
    work: () => pbkdf2Work(digest, iterations, blocks),
    matches: async (password, lane) => {
      const length = hash.length;
      const key = await (lane === 'slow'
        ? slowThreads.derive({ kind: 'pbkdf2', password, salt, iterations, length, digest })
        : deriveKey(password, salt, iterations, length, digest));
      return equalBytes(key, hash);
    },
    distinguishes: tellsHmacKeysApart(digest),
  };
}
