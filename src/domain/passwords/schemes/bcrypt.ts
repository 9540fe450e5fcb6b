import { verify } from '@node-rs/bcrypt';
import { slowThreads } from '../primitives/digest-threads.js';
import { bcryptWork } from '../primitives/hashing-work.js';
import { tellsApartBelow } from '../primitives/told-apart.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * bcrypt as `$2b$<cost>$<22 characters of salt><31 of hash>`, labels 2a, 2b, 2y alike. 2x marks hashes of a
 * PHP fault with bytes over 127: such a hash opens for ASCII passwords, for others it never matches, so it
 * counts as weak. bcrypt itself reads only the first 72 bytes of a password, a limit that an imported hash brings
 * along: what is shorter is re-hashed at the first sign-in, what reaches the limit never. NUL is a byte like any other,
 * and the password is read in circles with one between, so that `a` and `a\0a` are the same.
 */
interface BcryptHash {
  readonly version: string;
  readonly cost: number;
  /** The encoded text with the spare bits of salt and hash cleared. */
  readonly canonical: string;
}

const ENCODED =
  /^\$2([abxy])\$([0-9]{2})\$([./A-Za-z0-9]{21})([./A-Za-z0-9])([./A-Za-z0-9]{30})([./A-Za-z0-9])$/;
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const MOST_BYTES_READ = 72;
const LOWEST_COST = 4;
const HIGHEST_COST = 15;
/** OWASP's password storage cheat sheet names 10 as the least. */
const LOWEST_STRONG_COST = 10;

/** Some older libraries left spare bits set in the last characters; the verifier knows only cleared ones. */
function clearBits(character: string, spare: number): string {
  return ALPHABET.charAt((ALPHABET.indexOf(character) >> spare) << spare);
}

function parse(encoded: string): BcryptHash {
  const match = ENCODED.exec(encoded);
  if (match === null) {
    throw new HashRejected('bad-hash', 'wanted $2b$<two digits of cost>$<53 characters of salt and hash>');
  }
  const [, version = '', digits = '', salt = '', saltEnd = '', hash = '', hashEnd = ''] = match;
  const cost = Number(digits);
  if (cost < LOWEST_COST) throw new HashRejected('bad-cost', `the cost must be ${LOWEST_COST} at least`);
  if (cost > HIGHEST_COST)
    throw new HashRejected('cost-too-high', `the cost must be ${HIGHEST_COST} at most`);
  const canonical = `$2${version}$${digits}$${salt}${clearBits(saltEnd, 4)}${hash}${clearBits(hashEnd, 2)}`;
  return { version, cost, canonical };
}

export const bcrypt: PasswordScheme = {
  name: 'bcrypt',
  forms: ['bcrypt 2a, 2b, 2x, 2y'],

  recognises: (encoded) => encoded.startsWith('$2') && /^\$2[abxy](?:\$|$)/.test(encoded),

  read(encoded: string): ReadHash {
    const { version, cost, canonical } = parse(encoded);
    return {
      scheme: 'bcrypt',
      weak: cost < LOWEST_STRONG_COST || version === 'x',
      cost: `cost ${cost}`,
      // Comparing is the library's.
      work: () => bcryptWork(cost),
      matches: async (password, lane) =>
        lane === 'slow'
          ? slowThreads.verify({ kind: 'bcrypt', encoded: canonical, password })
          : verify(password, canonical),
      distinguishes: tellsApartBelow(MOST_BYTES_READ),
    };
  },
};
