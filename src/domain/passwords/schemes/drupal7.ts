import { createHash } from 'node:crypto';
import { digestWork } from '../primitives/hashing-work.js';
import { matchesPortable, readPortable } from '../primitives/portable-hash.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import type { PasswordScheme } from './password-scheme.js';

/**
 * Drupal 7 to 10, `$S$` and 55 characters in all: phpass's form with SHA-512, cut off. `U$S$…` is what Drupal made
 * of the MD5 hashes of version 6: the same over the hexadecimal MD5 of the password.
 */
const HASH = /^[./0-9A-Za-z]{43}$/;

/** As for PBKDF2; Drupal's own default is 2^15 or 2^16. */
const FEWEST_STRONG_ROUNDS = 10_000;

export const drupal7: PasswordScheme = {
  name: 'drupal7',
  forms: ['$S$', 'U$S$'],
  recognises: (encoded) => encoded.startsWith('$S$') || encoded.startsWith('U$S$'),
  read(encoded) {
    const overMd5 = encoded.startsWith('U');
    const portable = readPortable('sha512', encoded.slice(overMd5 ? 4 : 3), HASH);
    return {
      scheme: 'drupal7',
      weak: portable.rounds < FEWEST_STRONG_ROUNDS,
      cost: `${portable.rounds} rounds`,
      work: (bytes) => digestWork(portable.rounds, bytes),
      matches: async (password, lane) =>
        matchesPortable(
          portable,
          overMd5 ? Buffer.from(createHash('md5').update(password).digest('hex')) : password,
          lane,
        ),
      distinguishes: tellsAllApart,
    };
  },
};
