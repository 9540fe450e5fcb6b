import { pbkdf2Hash, requirePbkdf2Iterations, type Pbkdf2Digest } from '../primitives/pbkdf2-key.js';
import { base64Hash, base64Salt, splitParts, wholeNumber } from '../primitives/read-parts.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * PBKDF2 (RFC 8018 §5.2) as `$pbkdf2-<digest>$<iterations>$<salt>$<hash>`; `$pbkdf2$` means SHA-1. Salt and
 * hash are standard base64 or its adapted form with `.` for `+`, padded or not, but one alphabet per hash. Keycloak's
 * exports, passlib and the specification's own example have this form; Auth0 writes `i=<iterations>,l=<length>`.
 */
const digests: ReadonlyMap<string, Pbkdf2Digest> = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha1', 'sha1'],
  ['pbkdf2-sha224', 'sha224'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha384', 'sha384'],
  ['pbkdf2-sha512', 'sha512'],
]);

const LONG_COST = /^i=([^,]*),l=([^,]*)$/;

function read(encoded: string): ReadHash {
  const name = nameOf(encoded);
  const digest = digests.get(name);
  if (digest === undefined) throw new HashRejected('unknown-scheme', 'this is no PBKDF2 hash');
  const form = `$${name}$<iterations>$<salt>$<hash>`;
  const [, , costText = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 5, form);
  const long = costText.startsWith('i') ? LONG_COST.exec(costText) : null;
  const [, longIterations = costText, lengthText] = long ?? [];
  const iterations = requirePbkdf2Iterations(wholeNumber(longIterations, 'iterations'));
  const both = saltText + hashText;
  const adapted = both.includes('.');
  if (adapted && both.includes('+')) {
    throw new HashRejected('mixed-alphabets', 'salt and hash must keep to one base64 alphabet');
  }
  const salt = base64Salt(adapted ? saltText.replaceAll('.', '+') : saltText);
  const hash = base64Hash(adapted ? hashText.replaceAll('.', '+') : hashText);
  if (lengthText !== undefined && wholeNumber(lengthText, 'the length') !== hash.length) {
    throw new HashRejected('bad-hash', 'the hash must be as long as l says');
  }
  return pbkdf2Hash({ digest, iterations, salt, hash });
}

function nameOf(encoded: string): string {
  const end = encoded.indexOf('$', 1);
  return end === -1 ? encoded.slice(1) : encoded.slice(1, end);
}

export const pbkdf2: PasswordScheme = {
  name: 'pbkdf2',
  forms: [...digests.keys()],
  recognises: (encoded) => encoded.startsWith('$pbkdf2') && digests.has(nameOf(encoded)),
  read,
};
