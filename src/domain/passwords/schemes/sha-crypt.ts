import { createHash } from 'node:crypto';
import { encodeCrypt64 } from '../primitives/crypt64.js';
import { threadsOf, type DigestThreads } from '../primitives/digest-threads.js';
import { equalText } from '../primitives/equal-bytes.js';
import { digestWork } from '../primitives/hashing-work.js';
import { wholeNumber } from '../primitives/read-parts.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * SHA-crypt of crypt(3) (Drepper, "Unix crypt using SHA-256 and SHA-512"): `$5$[rounds=<n>$]<salt>$<hash>` with
 * SHA-256, `$6$` with SHA-512; 5,000 rounds when none are said.
 */
interface Variant {
  readonly scheme: string;
  readonly digest: string;
  readonly bytes: number;
  /** The last character of a hash holds fewer bits. */
  readonly hash: RegExp;
  /** In which order the bytes of the digest are written. */
  readonly order: readonly number[];
}

const variants: ReadonlyMap<string, Variant> = new Map([
  [
    '5',
    {
      scheme: 'sha256-crypt',
      digest: 'sha256',
      bytes: 32,
      hash: /^[./0-9A-Za-z]{42}[./0-9A-D]$/,
      order: [...turns(10, [20, 10, 0], [1, 2, 0]), 30, 31],
    },
  ],
  [
    '6',
    {
      scheme: 'sha512-crypt',
      digest: 'sha512',
      bytes: 64,
      hash: /^[./0-9A-Za-z]{85}[./01]$/,
      order: [...turns(21, [42, 21, 0], [2, 0, 1]), 63],
    },
  ],
]);

const DEFAULT_ROUNDS = 5000;
/** crypt(3) raises fewer to this and writes what it took, so no hash says less. */
const FEWEST_ROUNDS = 1000;
/** passlib's default, the highest in use, is 656,000; a round costs two microseconds here. */
const MOST_ROUNDS = 1_000_000;
/** As for PBKDF2: nobody has published a figure for this one. */
const FEWEST_STRONG_ROUNDS = 10_000;

const SALT = /^[!-#%-9;-~]{1,16}$/;

/** The triples of byte numbers: each is the one before, plus one, with its places turned. */
function turns(count: number, first: readonly number[], places: readonly number[]): number[] {
  const triples = [first];
  while (triples.length < count) {
    const last = triples.at(-1) ?? [];
    triples.push(places.map((place) => (last[place] ?? 0) + 1));
  }
  return triples.flat();
}

function read(encoded: string): ReadHash {
  const [, label = '', ...rest] = encoded.split('$');
  const variant = variants.get(label);
  if (variant === undefined) throw new HashRejected('unknown-scheme', 'this is no SHA-crypt hash');
  const named = rest[0]?.startsWith('rounds=') === true;
  if (rest.length !== (named ? 3 : 2)) {
    throw new HashRejected('wrong-part-count', `wanted $${label}$[rounds=<n>$]<salt>$<hash>`);
  }
  const rounds = named ? wholeNumber((rest[0] ?? '').slice(7), 'rounds') : DEFAULT_ROUNDS;
  if (rounds < FEWEST_ROUNDS) throw new HashRejected('bad-cost', `at least ${FEWEST_ROUNDS} rounds`);
  if (rounds > MOST_ROUNDS) throw new HashRejected('cost-too-high', `at most ${MOST_ROUNDS} rounds`);
  const [salt = '', hash = ''] = rest.slice(-2);
  if (!SALT.test(salt)) throw new HashRejected('bad-salt', 'the salt must have 1 to 16 characters');
  if (!variant.hash.test(hash)) {
    const characters = variant.bytes === 32 ? 43 : 86;
    throw new HashRejected('bad-hash', `the hash must have ${characters} characters of crypt’s alphabet`);
  }
  return {
    scheme: variant.scheme,
    weak: rounds < FEWEST_STRONG_ROUNDS,
    cost: `${rounds} rounds`,
    // the digest of the password's repetitions grows with its square
    work: (bytes) => digestWork(rounds, 2 * bytes) + digestWork(1, bytes * bytes),
    matches: async (password, lane) => {
      const threads = threadsOf(lane);
      const digest = await shaCrypt(threads, variant, Buffer.from(password), Buffer.from(salt), rounds);
      return digest !== undefined && equalText(digest, hash);
    },
    distinguishes: tellsAllApart,
  };
}

/** Undefined when the password is so long that it costs more than a verification may. */
async function shaCrypt(
  threads: DigestThreads,
  { digest, bytes, order }: Variant,
  password: Buffer,
  salt: Buffer,
  rounds: number,
): Promise<string | undefined> {
  const inner = createHash(digest).update(password).update(salt).update(password).digest();
  const outer = createHash(digest).update(password).update(salt);
  for (let left = password.length; left > 0; left -= bytes) outer.update(inner.subarray(0, left));
  for (let bits = password.length; bits > 0; bits >>= 1) outer.update(bits & 1 ? inner : password);
  const state = outer.digest();

  const passwordDigest = await repeated(threads, digest, password, password.length);
  const saltDigest = await repeated(threads, digest, salt, 16 + (state[0] ?? 0));
  if (passwordDigest === undefined || saltDigest === undefined) return undefined;
  const last = await threads.run({
    kind: 'alternate',
    digest,
    state,
    password: stretch(passwordDigest, password.length),
    salt: stretch(saltDigest, salt.length),
    rounds,
  });
  return last && encodeCrypt64(Uint8Array.from(order, (index) => last[index] ?? 0));
}

/** Grows with the square of a password's length, hence on a thread. */
async function repeated(
  threads: DigestThreads,
  digest: string,
  part: Buffer,
  times: number,
): Promise<Uint8Array | undefined> {
  return threads.run({ kind: 'repeat', digest, part, times });
}

function stretch(digest: Uint8Array, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

export const shaCryptScheme: PasswordScheme = {
  name: 'sha-crypt',
  forms: ['$5$', '$6$'],
  recognises: (encoded) => encoded.startsWith('$5$') || encoded.startsWith('$6$'),
  read,
};
