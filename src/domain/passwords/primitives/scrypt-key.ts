import { scrypt, type ScryptOptions } from 'node:crypto';
import { HashRejected, type HashingLane, type ReadHash } from '../schemes/password-scheme.js';
import { slowThreads } from './digest-threads.js';
import { equalBytes } from './equal-bytes.js';
import { scryptWork } from './hashing-work.js';
import { tellsHmacKeysApart } from './told-apart.js';

/** scrypt (RFC 7914) with its caps and floor, whatever dialect it was written in. */
export interface ScryptCost {
  /** N, the cost in processor and memory; a power of two. */
  readonly n: number;
  /** r */
  readonly blockSize: number;
  /** p */
  readonly lanes: number;
}

const HIGHEST_N = 2 ** 17;
const HIGHEST_BLOCK_SIZE = 32;
const HIGHEST_LANES = 16;
/** As Argon2's cap: what the slots of the pool can hold at once. */
const MOST_MEMORY = 256 * 1024 * 1024;
/** N·r·p of OWASP's strongest setting (N=2^17, r=8, p=1), four times: about two seconds of one slot. */
const MOST_WORK = 4 * HIGHEST_N * 8;
/** N=2^14, r=8 is what the paper of 2009 and node:crypto take for a sign-in. */
const LEAST_STRONG_MEMORY = 128 * 2 ** 14 * 8;

const SALT_BYTES = { least: 1, strong: 8, most: 1024 };
const HASH_BYTES = { least: 16, most: 128 };

/** N, r and p; throws HashRejected outside the caps. */
export function scryptCost(n: number, blockSize: number, lanes: number): ScryptCost {
  if (n > HIGHEST_N || blockSize > HIGHEST_BLOCK_SIZE || lanes > HIGHEST_LANES) {
    throw new HashRejected(
      'cost-too-high',
      `at most N=${HIGHEST_N}, r=${HIGHEST_BLOCK_SIZE}, p=${HIGHEST_LANES}`,
    );
  }
  if (n < 2 || (n & (n - 1)) !== 0) throw new HashRejected('bad-cost', 'N must be a power of 2');
  if (blockSize < 1 || lanes < 1) throw new HashRejected('bad-cost', 'r and p must be 1 at least');
  if (128 * n * blockSize > MOST_MEMORY) {
    throw new HashRejected('cost-too-high', `128·N·r may be ${MOST_MEMORY} bytes at most`);
  }
  if (n * blockSize * lanes > MOST_WORK) {
    throw new HashRejected('cost-too-high', `N·r·p may be ${MOST_WORK} at most`);
  }
  return { n, blockSize, lanes };
}

/** Throws HashRejected for a salt or hash outside the bounds; the cost is checked already. */
export function scryptHash(cost: ScryptCost, salt: Uint8Array, hash: Uint8Array): ReadHash {
  if (salt.length < SALT_BYTES.least || salt.length > SALT_BYTES.most) {
    throw new HashRejected('bad-salt', `the salt must have ${SALT_BYTES.least} to ${SALT_BYTES.most} bytes`);
  }
  if (hash.length < HASH_BYTES.least || hash.length > HASH_BYTES.most) {
    throw new HashRejected('bad-hash', `the hash must have ${HASH_BYTES.least} to ${HASH_BYTES.most} bytes`);
  }
  return {
    scheme: 'scrypt',
    weak: isWeakScrypt(cost) || salt.length < SALT_BYTES.strong,
    cost: describeScrypt(cost),
    work: () => scryptWork(cost.n, cost.blockSize, cost.lanes),
    matches: async (password, lane) =>
      equalBytes(await deriveScrypt(cost, password, salt, hash.length, lane), hash),
    distinguishes: tellsHmacKeysApart('sha256'),
  };
}

export function describeScrypt({ n, blockSize, lanes }: ScryptCost): string {
  return `N=${n}, r=${blockSize}, p=${lanes}`;
}

export function isWeakScrypt({ n, blockSize }: ScryptCost): boolean {
  return 128 * n * blockSize < LEAST_STRONG_MEMORY;
}

/** On libuv's threads, as everything long that node:crypto does, or on slow ones of our own. */
export async function deriveScrypt(
  { n, blockSize, lanes }: ScryptCost,
  password: Uint8Array,
  salt: Uint8Array,
  length: number,
  lane: HashingLane | undefined,
): Promise<Uint8Array> {
  // node counts the lanes' blocks too and refuses what reaches `maxmem`
  const maxmem = 128 * n * blockSize + 128 * blockSize * (lanes + 2) + 1;
  const options: ScryptOptions = { N: n, r: blockSize, p: lanes, maxmem };
  if (lane === 'slow') return slowThreads.derive({ kind: 'scrypt', password, salt, length, options });
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
