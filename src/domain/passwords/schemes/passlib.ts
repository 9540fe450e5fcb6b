import { createHash, createHmac } from 'node:crypto';
import { pbkdf2Hash, requirePbkdf2Iterations, type Pbkdf2Digest } from '../primitives/pbkdf2-key.js';
import { base64Hash, base64Salt, hexHash, splitParts, wholeNumber } from '../primitives/read-parts.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import { bcrypt } from './bcrypt.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';
import { pbkdf2 } from './pbkdf2.js';

/**
 * What passlib knows besides `$pbkdf2-…$`, by first characters:
 * - `{PBKDF2}`, `{PBKDF2-SHA256}` and so on: the same form behind a directory's label, also OpenLDAP's;
 * - `{PKCS5S2}`: Atlassian, base64 of 16 bytes of salt and 32 of PBKDF2-SHA1 with 10,000 iterations;
 * - `$p5k2$`: PBKDF2-SHA1 with iterations in hexadecimal, in the dialects of Cryptacular (base64url, 20 bytes) and of
 *   Dwayne Litzenberger (adapted base64, 24 bytes, where all before the hash is the salt);
 * - `grub.pbkdf2.sha512.`: GRUB's, in hexadecimal with dots between;
 * - `$bcrypt-sha256$`: bcrypt over the base64 of SHA-256 of the password, in version 2 keyed with the salt.
 */
const readers: readonly (readonly [prefix: string, read: (encoded: string) => ReadHash])[] = [
  ['{PBKDF2', readLabelled],
  ['{PKCS5S2}', readAtlassian],
  ['$p5k2$', readP5k2],
  ['grub.pbkdf2.sha512.', readGrub],
  ['$bcrypt-sha256$', readBcryptSha256],
];

function readLabelled(encoded: string): ReadHash {
  const [label = '', rest = ''] = splitParts(encoded.slice(1), '}', 2, '{PBKDF2-<digest>}<iterations>$…');
  return pbkdf2.read(`$${label.toLowerCase()}$${rest}`);
}

const ATLASSIAN = { iterations: 10_000, salt: 16, bytes: 48 };

function readAtlassian(encoded: string): ReadHash {
  const bytes = base64Hash(encoded.slice('{PKCS5S2}'.length));
  if (bytes.length !== ATLASSIAN.bytes) {
    throw new HashRejected('bad-hash', `salt and hash must have ${ATLASSIAN.bytes} bytes together`);
  }
  const [salt, hash] = [bytes.subarray(0, ATLASSIAN.salt), bytes.subarray(ATLASSIAN.salt)];
  return pbkdf2Hash({ digest: 'sha1', iterations: ATLASSIAN.iterations, salt, hash });
}

const CRYPTACULAR_HASH = 28;
/** Litzenberger leaves the iterations out where they are 400. */
const LITZENBERGER_DEFAULT = 400;

function readP5k2(encoded: string): ReadHash {
  const form = '$p5k2$<iterations in hexadecimal>$<salt>$<hash>';
  const [, , roundsText = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 5, form);
  const cryptacular = hashText.length === CRYPTACULAR_HASH;
  const iterations = requirePbkdf2Iterations(
    roundsText === '' && !cryptacular ? LITZENBERGER_DEFAULT : hexNumber(roundsText),
  );
  const digest: Pbkdf2Digest = 'sha1';
  if (cryptacular) {
    const [salt, hash] = [base64Salt(fromUrlSafe(saltText)), base64Hash(fromUrlSafe(hashText))];
    return pbkdf2Hash({ digest, iterations, salt, hash });
  }
  if (!/^[./0-9A-Za-z]{1,64}$/.test(saltText)) {
    throw new HashRejected('bad-salt', 'the salt must have 1 to 64 letters, digits, dots or slashes');
  }
  const salt = Buffer.from(encoded.slice(0, encoded.lastIndexOf('$')));
  return pbkdf2Hash({ digest, iterations, salt, hash: base64Hash(hashText.replaceAll('.', '+')) });
}

/** Strictly: of a text in standard base64 nothing comes out that reads as base64. */
function fromUrlSafe(text: string): string {
  return /[+/]/.test(text) ? '' : text.replaceAll('-', '+').replaceAll('_', '/');
}

function hexNumber(text: string): number {
  if (!/^[1-9a-f][0-9a-f]*$/.test(text)) {
    throw new HashRejected('bad-cost', 'iterations must be hexadecimal, in lower case, without leading zero');
  }
  return Number.parseInt(text, 16);
}

function readGrub(encoded: string): ReadHash {
  const form = 'grub.pbkdf2.sha512.<iterations>.<salt>.<hash>';
  const [, , , roundsText = '', saltText = '', hashText = ''] = splitParts(encoded, '.', 6, form);
  const iterations = requirePbkdf2Iterations(wholeNumber(roundsText, 'iterations'));
  return pbkdf2Hash({ digest: 'sha512', iterations, salt: hexSalt(saltText), hash: hexHash(hashText) });
}

function hexSalt(text: string): Buffer {
  if (text.length % 2 !== 0 || !/^[0-9A-Fa-f]+$/.test(text)) {
    throw new HashRejected('bad-salt', 'the salt must be hexadecimal');
  }
  return Buffer.from(text, 'hex');
}

const BCRYPT_V1 = /^(2[aby]),([1-9][0-9]?)$/;
const BCRYPT_V2 = /^v=2,t=(2[ab]),r=([1-9][0-9]?)$/;

function readBcryptSha256(encoded: string): ReadHash {
  const form = '$bcrypt-sha256$v=2,t=2b,r=<cost>$<salt>$<hash>';
  const [, , settings = '', salt = '', hash = ''] = splitParts(encoded, '$', 5, form);
  const keyed = settings.startsWith('v=');
  const match = (keyed ? BCRYPT_V2 : BCRYPT_V1).exec(settings);
  if (match === null) throw new HashRejected('bad-cost', 'wanted v=2,t=2b,r=<cost> or 2b,<cost>');
  if (salt.length !== 22) throw new HashRejected('bad-salt', 'the salt must have 22 characters');
  const [, label = '', cost = ''] = match;
  const inner = bcrypt.read(`$${label}$${cost.padStart(2, '0')}$${salt}${hash}`);
  return {
    ...inner,
    scheme: 'bcrypt-sha256',
    matches: async (password, lane) => {
      const digest = keyed ? createHmac('sha256', salt) : createHash('sha256');
      return inner.matches(Buffer.from(digest.update(password).digest('base64')), lane);
    },
    distinguishes: tellsAllApart,
  };
}

export const passlib: PasswordScheme = {
  name: 'passlib',
  forms: ['{PBKDF2-SHA256} and others of passlib'],
  recognises: (encoded) => readers.some(([prefix]) => encoded.startsWith(prefix)),
  read(encoded) {
    const reader = readers.find(([prefix]) => encoded.startsWith(prefix));
    if (reader === undefined) throw new HashRejected('unknown-scheme', 'this is no hash of passlib');
    return reader[1](encoded);
  },
};
