import { createHash } from 'node:crypto';
import { HashRejected, type HashingLane } from '../schemes/password-scheme.js';
import { CRYPT64, encodeCrypt64 } from './crypt64.js';
import { threadsOf } from './digest-threads.js';
import { equalText } from './equal-bytes.js';

/**
 * The "portable" hash of phpass, which Drupal took over with SHA-512: behind a label of three characters one of cost
 * (log2 of the rounds), eight of salt, then the hash in the alphabet of crypt.
 */
interface PortableHash {
  readonly digest: 'md5' | 'sha512';
  readonly rounds: number;
  readonly salt: string;
  readonly hash: string;
}

const COST_AND_SALT = /^([./0-9A-Za-z])([./0-9A-Za-z]{8})$/;
/** What both products allow at least. */
const LOWEST_COST = 7;
/** A million rounds; both products' own defaults stay under 2^17. */
const HIGHEST_COST = 20;

/** Reads what stands behind the label; `hash` is what a well-formed hash looks like. */
export function readPortable(digest: PortableHash['digest'], text: string, hash: RegExp): PortableHash {
  const match = COST_AND_SALT.exec(text.slice(0, 9));
  if (match === null) {
    throw new HashRejected('bad-salt', 'wanted one character of cost and eight of salt, in crypt’s alphabet');
  }
  const [, costCharacter = '', salt = ''] = match;
  const cost = CRYPT64.indexOf(costCharacter);
  if (cost < LOWEST_COST) throw new HashRejected('bad-cost', `at least 2^${LOWEST_COST} rounds`);
  if (cost > HIGHEST_COST) throw new HashRejected('cost-too-high', `at most 2^${HIGHEST_COST} rounds`);
  if (!hash.test(text.slice(9))) {
    throw new HashRejected('bad-hash', 'the hash is not as long as its form wants, or has other characters');
  }
  return { digest, rounds: 2 ** cost, salt, hash: text.slice(9) };
}

export async function matchesPortable(
  { digest, rounds, salt, hash }: PortableHash,
  password: Uint8Array,
  lane: HashingLane | undefined,
): Promise<boolean> {
  const state = createHash(digest).update(salt).update(password).digest();
  const last = await threadsOf(lane).run({ kind: 'chain', digest, state, password, rounds });
  return last !== undefined && equalText(encodeCrypt64(last).slice(0, hash.length), hash);
}
