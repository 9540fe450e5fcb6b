import { createHash } from 'node:crypto';
import { encodeCrypt64 } from '../primitives/crypt64.js';
import { threadsOf } from '../primitives/digest-threads.js';
import { equalText } from '../primitives/equal-bytes.js';
import { digestWork } from '../primitives/hashing-work.js';
import { splitParts } from '../primitives/read-parts.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import { HashRejected, type HashingLane, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * MD5-crypt of crypt(3), `$1$<salt>$<hash>`, and Apache's `$apr1$`, which differs in that label only. A thousand
 * rounds of MD5: always weak.
 */
const SALT = /^[./0-9A-Za-z]{1,8}$/;
/** 16 bytes in 22 characters, the last of which holds two bits. */
const HASH = /^[./0-9A-Za-z]{21}[./01]$/;

const ROUNDS = 1000;
/** In which order the bytes of the digest are written. */
const ORDER = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11];

function read(encoded: string): ReadHash {
  const [, label = '', salt = '', hash = ''] = splitParts(encoded, '$', 4, '$1$<salt>$<hash>');
  if (!SALT.test(salt)) {
    throw new HashRejected('bad-salt', 'the salt must have 1 to 8 characters of crypt’s alphabet');
  }
  if (!HASH.test(hash)) {
    throw new HashRejected('bad-hash', 'the hash must have 22 characters of crypt’s alphabet');
  }
  return {
    scheme: 'md5-crypt',
    weak: true,
    cost: `${ROUNDS} rounds`,
    work: (bytes) => digestWork(ROUNDS, bytes),
    matches: async (password, lane) => {
      const digest = await md5Crypt(Buffer.from(password), Buffer.from(salt), `$${label}$`, lane);
      return digest !== undefined && equalText(digest, hash);
    },
    distinguishes: tellsAllApart,
  };
}

async function md5Crypt(
  password: Buffer,
  salt: Buffer,
  label: string,
  lane: HashingLane | undefined,
): Promise<string | undefined> {
  const inner = createHash('md5').update(password).update(salt).update(password).digest();
  const outer = createHash('md5').update(password).update(label).update(salt);
  for (let left = password.length; left > 0; left -= 16) outer.update(inner.subarray(0, left));
  // A quirk of the first implementation: it meant the inner digest, but had cleared it by then.
  for (let bits = password.length; bits > 0; bits >>= 1) {
    outer.update(bits & 1 ? Buffer.alloc(1) : password.subarray(0, 1));
  }
  const state = outer.digest();
  const task = { kind: 'alternate', digest: 'md5', state, password, salt, rounds: ROUNDS } as const;
  const last = await threadsOf(lane).run(task);
  return last && encodeCrypt64(Uint8Array.from(ORDER, (index) => last[index] ?? 0));
}

export const md5CryptScheme: PasswordScheme = {
  name: 'md5-crypt',
  forms: ['$1$', '$apr1$'],
  recognises: (encoded) => encoded.startsWith('$1$') || encoded.startsWith('$apr1$'),
  read,
};
