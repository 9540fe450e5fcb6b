import { base64Hash } from '../primitives/read-parts.js';
import { digestHash, type Digest } from '../primitives/salted-digest.js';
import { DIGEST_BYTES } from '../primitives/told-apart.js';
import { argon2 } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import { md5CryptScheme } from './md5-crypt.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';
import { scrypt } from './scrypt.js';
import { shaCryptScheme } from './sha-crypt.js';

/**
 * `userPassword` of directories (RFC 2307 §5.3): `{SSHA}` and its kin are base64 of a digest with its salt behind
 * it, `{SHA}` and its kin have no salt. `{CRYPT}`, `{ARGON2}` and `{BCRYPT}` hold a hash of those schemes, `{CRYPT}`
 * any but the DES form. The case of a label means nothing. Digests are one pass, so always weak.
 */
const digests: ReadonlyMap<string, { digest: Digest; salted: boolean }> = new Map([
  ['MD5', { digest: 'md5', salted: false }],
  ['SMD5', { digest: 'md5', salted: true }],
  ['SHA', { digest: 'sha1', salted: false }],
  ['SSHA', { digest: 'sha1', salted: true }],
  ['SHA256', { digest: 'sha256', salted: false }],
  ['SSHA256', { digest: 'sha256', salted: true }],
  ['SHA384', { digest: 'sha384', salted: false }],
  ['SSHA384', { digest: 'sha384', salted: true }],
  ['SHA512', { digest: 'sha512', salted: false }],
  ['SSHA512', { digest: 'sha512', salted: true }],
]);

const wrapped: ReadonlyMap<string, readonly PasswordScheme[]> = new Map([
  ['CRYPT', [md5CryptScheme, shaCryptScheme, bcrypt, scrypt]],
  ['ARGON2', [argon2]],
  ['BCRYPT', [bcrypt]],
]);

const LABEL = /^\{([A-Za-z0-9]{3,7})\}/;
const MOST_SALT = 64;

function labelOf(encoded: string): string {
  return LABEL.exec(encoded)?.[1]?.toUpperCase() ?? '';
}

function read(encoded: string): ReadHash {
  const label = labelOf(encoded);
  const rest = encoded.slice(label.length + 2);
  const known = digests.get(label);
  if (known !== undefined) return readDigest(known.digest, known.salted, base64Hash(rest));
  const inner = wrapped.get(label)?.find((scheme) => scheme.recognises(rest));
  if (inner === undefined) throw new HashRejected('unknown-scheme', 'the label holds no hash that is known');
  return inner.read(rest);
}

function readDigest(digest: Digest, salted: boolean, bytes: Buffer): ReadHash {
  const length = DIGEST_BYTES[digest];
  const salt = bytes.subarray(length);
  if (salted ? salt.length === 0 || salt.length > MOST_SALT : salt.length > 0) {
    const wanted = salted ? `1 to ${MOST_SALT} bytes of salt` : 'nothing';
    throw new HashRejected('bad-salt', `wanted ${wanted} behind the ${length} bytes of the hash`);
  }
  return digestHash({ digest, hash: bytes.subarray(0, length), ...(salted && { after: salt }) });
}

export const ldap: PasswordScheme = {
  name: 'ldap',
  forms: ['{SSHA} and others of LDAP'],
  recognises(encoded) {
    const label = labelOf(encoded);
    return digests.has(label) || wrapped.has(label);
  },
  read,
};
