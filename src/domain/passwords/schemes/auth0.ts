import {
  countField,
  fieldsOf,
  isJsonObject,
  parseJson,
  textField,
  wordField,
  type JsonFields,
} from '../primitives/read-json.js';
import { base64Hash, hexHash, LONGEST_SALT } from '../primitives/read-parts.js';
import { digestHash, type Digest } from '../primitives/salted-digest.js';
import { scryptCost, scryptHash } from '../primitives/scrypt-key.js';
import { argon2 } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import { ldap } from './ldap.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';
import { pbkdf2 } from './pbkdf2.js';

/**
 * Auth0's `custom_password_hash` as JSON text, every field with Auth0's meaning and defaults: digests, HMAC and scrypt
 * with their parts beside them, or a hash that is complete in itself (`argon2`, `bcrypt`, `ldap`, `pbkdf2`). MD4,
 * RIPEMD and Whirlpool are not in the cryptography of this platform and are refused.
 */
const FIELDS = ['algorithm', 'hash', 'salt', 'password', 'keylen', 'cost', 'blockSize', 'parallelization'];
const DIGESTS = ['md5', 'sha1', 'sha256', 'sha512'] as const;
const HMAC_DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
const WHOLE = { argon2, bcrypt, ldap, pbkdf2 } as const;
const ALGORITHMS = ['argon2', 'bcrypt', 'ldap', 'pbkdf2', ...DIGESTS, 'hmac', 'scrypt'] as const;
const BINARY = ['hex', 'base64'] as const;
const ANY = [...BINARY, 'utf8'] as const;

function read(encoded: string): ReadHash {
  const fields = parseJson(encoded, 'the hash', FIELDS);
  const hash = fieldsOf(fields['hash'], 'hash', ['value', 'encoding', 'digest', 'key']);
  const algorithm = wordField(fields, 'algorithm', 'the hash', ALGORITHMS);
  return inEncoding(fields['password'], readAlgorithm(algorithm, fields, hash));
}

function readAlgorithm(
  algorithm: (typeof ALGORITHMS)[number],
  fields: JsonFields,
  hash: JsonFields,
): ReadHash {
  switch (algorithm) {
    case 'argon2':
    case 'bcrypt':
    case 'ldap':
    case 'pbkdf2':
      return readWhole(algorithm, fields, hash);
    case 'scrypt':
      return readScrypt(fields, hash);
    case 'hmac': {
      const digest = wordField(hash, 'digest', 'hash', HMAC_DIGESTS);
      const key = fieldsOf(hash['key'], 'hash.key', ['value', 'encoding']);
      const hmacKey = bytesOf(
        key,
        'hash.key',
        'bad-key',
        wordField(key, 'encoding', 'hash.key', ANY, 'utf8'),
      );
      return readDigest(digest, fields, hash, hmacKey);
    }
    case 'md5':
    case 'sha1':
    case 'sha256':
    case 'sha512':
      return readDigest(algorithm, fields, hash);
  }
}

function readWhole(name: keyof typeof WHOLE, fields: JsonFields, hash: JsonFields): ReadHash {
  wordField(hash, 'encoding', 'hash', ['utf8'], 'utf8');
  if (fields['salt'] !== undefined) throw new HashRejected('bad-field', `${name} has its salt in the hash`);
  const value = textField(hash, 'value', 'hash');
  const scheme = WHOLE[name];
  // Without parameters Auth0 means these.
  const parts = value.split('$');
  const text =
    name === 'pbkdf2' && parts.length === 4 ? parts.toSpliced(2, 0, 'i=100000,l=64').join('$') : value;
  if (!scheme.recognises(text)) throw new HashRejected('unknown-scheme', `hash.value is not of ${name}`);
  return scheme.read(text);
}

function readDigest(digest: Digest, fields: JsonFields, hash: JsonFields, hmacKey?: Buffer): ReadHash {
  const bytes = bytesOf(hash, 'hash', 'bad-hash', wordField(hash, 'encoding', 'hash', BINARY));
  const salt = readSalt(fields);
  return digestHash({
    digest,
    hash: bytes,
    ...(hmacKey && { hmacKey }),
    ...(salt && { [salt.position === 'prefix' ? 'before' : 'after']: salt.bytes }),
  });
}

function readSalt(fields: JsonFields): { bytes: Buffer; position: 'prefix' | 'suffix' } | undefined {
  if (fields['salt'] === undefined) return undefined;
  const salt = fieldsOf(fields['salt'], 'salt', ['value', 'encoding', 'position']);
  return {
    bytes: saltBytes(salt),
    position: wordField(salt, 'position', 'salt', ['prefix', 'suffix'] as const),
  };
}

function saltBytes(salt: JsonFields): Buffer {
  const bytes = bytesOf(salt, 'salt', 'bad-salt', wordField(salt, 'encoding', 'salt', ANY, 'utf8'));
  if (bytes.length > LONGEST_SALT) throw new HashRejected('bad-salt', `at most ${LONGEST_SALT} bytes`);
  return bytes;
}

function readScrypt(fields: JsonFields, hash: JsonFields): ReadHash {
  const bytes = bytesOf(hash, 'hash', 'bad-hash', wordField(hash, 'encoding', 'hash', BINARY));
  if (countField(fields, 'keylen', 'the hash') !== bytes.length) {
    throw new HashRejected('bad-hash', 'the hash must be as long as keylen says');
  }
  const cost = scryptCost(
    countField(fields, 'cost', 'the hash', 16_384),
    countField(fields, 'blockSize', 'the hash', 8),
    countField(fields, 'parallelization', 'the hash', 1),
  );
  return scryptHash(cost, saltBytes(fieldsOf(fields['salt'], 'salt', ['value', 'encoding'])), bytes);
}

function bytesOf(
  fields: JsonFields,
  path: string,
  rule: 'bad-hash' | 'bad-salt' | 'bad-key',
  encoding: (typeof ANY)[number],
): Buffer {
  const text = textField(fields, 'value', path);
  try {
    if (text === '') throw new HashRejected(rule, '');
    if (encoding === 'utf8') return Buffer.from(text, 'utf8');
    return encoding === 'hex' ? hexHash(text) : base64Hash(fromEither(text));
  } catch {
    throw new HashRejected(rule, `${path}.value must be ${encoding} and not empty`);
  }
}

/** Standard base64, or base64url, but no mixture. */
function fromEither(text: string): string {
  return /[+/]/.test(text) ? text : text.replaceAll('-', '+').replaceAll('_', '/');
}

const TEXT_ENCODINGS = ['utf8', 'ascii', 'utf16le', 'ucs2', 'latin1', 'binary'] as const;
/** The same hash over the password in the encoding in which its old home hashed it. */
function inEncoding(given: unknown, hash: ReadHash): ReadHash {
  if (given === undefined) return hash;
  const fields = fieldsOf(given, 'password', ['encoding']);
  const encoding = wordField(fields, 'encoding', 'password', TEXT_ENCODINGS, 'utf8');
  if (encoding === 'utf8') return hash;
  return {
    ...hash,
    matches: async (password, lane) => {
      const text = Buffer.from(password).toString('utf8');
      const bytes = Buffer.from(text, encoding);
      // A character that the encoding lacks, its owner cannot have typed there.
      return bytes.toString(encoding) === text && hash.matches(bytes, lane);
    },
    // of the bytes that were hashed: those of UTF-16 are twice as many, and half of them NUL
    distinguishes: (password) =>
      hash.distinguishes(Buffer.from(Buffer.from(password).toString('utf8'), encoding)),
  };
}

export const auth0: PasswordScheme = {
  name: 'auth0',
  forms: ['JSON of Auth0'],
  recognises: (encoded) => isJsonObject(encoded) && encoded.includes('"algorithm"'),
  read,
};
