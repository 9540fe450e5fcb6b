import { digestWork } from '../primitives/hashing-work.js';
import { matchesPortable, readPortable } from '../primitives/portable-hash.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import type { PasswordScheme } from './password-scheme.js';

/**
 * phpass's portable hashes, 34 characters: `$P$` of WordPress before 6.8 and many PHP products, `$H$` of phpBB.
 * Rounds of MD5: always weak.
 */
const HASH = /^[./0-9A-Za-z]{21}[./01]$/;

export const phpass: PasswordScheme = {
  name: 'phpass',
  forms: ['$P$', '$H$'],
  recognises: (encoded) => encoded.startsWith('$P$') || encoded.startsWith('$H$'),
  read(encoded) {
    const portable = readPortable('md5', encoded.slice(3), HASH);
    return {
      scheme: 'phpass',
      weak: true,
      cost: `${portable.rounds} rounds`,
      work: (bytes) => digestWork(portable.rounds, bytes),
      matches: async (password, lane) => matchesPortable(portable, password, lane),
      distinguishes: tellsAllApart,
    };
  },
};
