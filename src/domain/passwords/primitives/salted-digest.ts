import { createHash, createHmac } from 'node:crypto';
import { HashRejected, type ReadHash } from '../schemes/password-scheme.js';
import { equalBytes } from './equal-bytes.js';
import { digestWork } from './hashing-work.js';
import { DIGEST_BYTES, tellsAllApart } from './told-apart.js';

/** One pass of a digest, salted or not: quick to guess, so always weak. */
interface SaltedDigest {
  readonly digest: Digest;
  /** What stands before the password, and what behind it. */
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  /** Key of an HMAC (RFC 2104) in place of the bare digest. */
  readonly hmacKey?: Uint8Array;
  readonly hash: Uint8Array;
}

export type Digest = keyof typeof DIGEST_BYTES;

const NOTHING = new Uint8Array();

/** Throws HashRejected for a hash of another length than its digest's. */
export function digestHash({ digest, before, after, hmacKey, hash }: SaltedDigest): ReadHash {
  if (hash.length !== DIGEST_BYTES[digest]) {
    throw new HashRejected('bad-hash', `a ${digest} hash has ${DIGEST_BYTES[digest]} bytes`);
  }
  const salted = before !== undefined || after !== undefined;
  const kind = hmacKey === undefined ? digest : `hmac-${digest}`;
  return {
    scheme: salted ? `salted-${kind}` : kind,
    weak: true,
    cost: 'one pass',
    work: (bytes) => digestWork(1, bytes),
    // Microseconds: no thread is worth its message.
    matches: async (password) => {
      const state = hmacKey === undefined ? createHash(digest) : createHmac(digest, hmacKey);
      return equalBytes(
        state
          .update(before ?? NOTHING)
          .update(password)
          .update(after ?? NOTHING)
          .digest(),
        hash,
      );
    },
    // the key of an HMAC is the salt here, and the password what it is computed over
    distinguishes: tellsAllApart,
  };
}
