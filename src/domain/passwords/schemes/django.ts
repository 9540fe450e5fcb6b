import { createHash } from 'node:crypto';
import { pbkdf2Hash, requirePbkdf2Iterations, type Pbkdf2Digest } from '../primitives/pbkdf2-key.js';
import { base64Hash, hexHash, splitParts, textSalt, wholeNumber } from '../primitives/read-parts.js';
import { digestHash, type Digest } from '../primitives/salted-digest.js';
import { scryptCost, scryptHash } from '../primitives/scrypt-key.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import { argon2 } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * Django's `<algorithm>$…`, without a `$` in front. Salts are the text they are. `bcrypt_sha256` runs bcrypt over the
 * hexadecimal SHA-256 of the password, which lifts bcrypt's limit of 72 bytes; `md5$$` and `sha1$$` are unsalted.
 */
const readers: ReadonlyMap<string, (encoded: string) => ReadHash> = new Map([
  ['pbkdf2_sha256', (encoded) => readPbkdf2(encoded, 'sha256')],
  ['pbkdf2_sha1', (encoded) => readPbkdf2(encoded, 'sha1')],
  ['argon2', (encoded) => argon2.read(encoded.slice('argon2'.length))],
  ['bcrypt', (encoded) => bcrypt.read(encoded.slice('bcrypt$'.length))],
  ['bcrypt_sha256', readBcryptSha256],
  ['scrypt', readScrypt],
  ['md5', (encoded) => readDigest(encoded, 'md5')],
  ['sha1', (encoded) => readDigest(encoded, 'sha1')],
]);

function readPbkdf2(encoded: string, digest: Pbkdf2Digest): ReadHash {
  const form = `pbkdf2_${digest}$<iterations>$<salt>$<hash>`;
  const [, iterationText = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 4, form);
  const iterations = requirePbkdf2Iterations(wholeNumber(iterationText, 'iterations'));
  return pbkdf2Hash({ digest, iterations, salt: textSalt(saltText), hash: base64Hash(hashText) });
}

function readBcryptSha256(encoded: string): ReadHash {
  const inner = bcrypt.read(encoded.slice('bcrypt_sha256$'.length));
  return {
    ...inner,
    scheme: 'bcrypt-sha256',
    matches: async (password, lane) =>
      inner.matches(Buffer.from(createHash('sha256').update(password).digest('hex')), lane),
    distinguishes: tellsAllApart,
  };
}

function readScrypt(encoded: string): ReadHash {
  const form = 'scrypt$<N>$<salt>$<r>$<p>$<hash>';
  const [, n = '', saltText = '', r = '', p = '', hashText = ''] = splitParts(encoded, '$', 6, form);
  const cost = scryptCost(wholeNumber(n, 'N'), wholeNumber(r, 'r'), wholeNumber(p, 'p'));
  return scryptHash(cost, textSalt(saltText), base64Hash(hashText));
}

function readDigest(encoded: string, digest: Digest): ReadHash {
  const [, salt = '', hash = ''] = splitParts(encoded, '$', 3, `${digest}$<salt>$<hash>`);
  return digestHash({ digest, ...(salt !== '' && { before: textSalt(salt) }), hash: hexHash(hash) });
}

function algorithmOf(encoded: string): string {
  return encoded.slice(0, Math.max(0, encoded.indexOf('$')));
}

export const django: PasswordScheme = {
  name: 'django',
  forms: ['pbkdf2_sha256$ and others of Django'],
  recognises: (encoded) => readers.has(algorithmOf(encoded)),
  read(encoded) {
    const reader = readers.get(algorithmOf(encoded));
    if (reader === undefined) throw new HashRejected('unknown-scheme', 'this is no hash of Django');
    return reader(encoded);
  },
};
