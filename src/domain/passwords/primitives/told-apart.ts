/** Lengths of digests. */
export const DIGEST_BYTES = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 } as const;

/**
 * Which passwords a hash scheme can distinguish, for `ReadHash.distinguishes`. The question is never whether a password is right,
 * but whether it is the only typeable one that matches the hash: otherwise it must not replace the hash.
 *
 * A true password is taken to hold no NUL. No keyboard makes one and most products refuse it or stop there, while bcrypt
 * and HMAC give a password and some of its continuations with NUL the same hash, every password there is.
 */

/** The whole password goes through a digest, behind or before something of a fixed length. */
export function tellsAllApart(): boolean {
  return true;
}

/**
 * HMAC with the password as its key (RFC 2104 §2), which PBKDF2 and scrypt begin with: a short key is filled up with
 * NUL, and a key longer than the digest's block is replaced by its digest. So whoever knows the digest of a long
 * password from elsewhere could type that. It is text only by chance; what a person types is, up to one in 10^8, not.
 */
export function tellsHmacKeysApart(digest: keyof typeof DIGEST_BYTES): (password: Uint8Array) => boolean {
  const length = DIGEST_BYTES[digest];
  return (password) =>
    !password.includes(0) &&
    (password.length !== length || password.every((byte) => byte >= 0x20 && byte < 0x7f));
}

/** A scheme that reads no more than `most` bytes: one of exactly so many may be the beginning of a longer one. */
export function tellsApartBelow(most: number): (password: Uint8Array) => boolean {
  return (password) => password.length < most && !password.includes(0);
}
