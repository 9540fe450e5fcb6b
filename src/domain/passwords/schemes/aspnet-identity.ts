import { pbkdf2Hash, type Pbkdf2Digest } from '../primitives/pbkdf2-key.js';
import { base64Hash } from '../primitives/read-parts.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * ASP.NET Identity's PasswordHash column: base64 of bytes whose first one is the version. Version 2 (byte 0) is
 * PBKDF2-SHA1 of 1,000 iterations with 16 bytes of salt and 32 of hash. Version 3 (byte 1) says digest, iterations and
 * length of the salt as numbers of four bytes. Written bare it is known by its first characters, since those bytes
 * are fixed; `$aspnet-identity$` may stand in front.
 */
const LABEL = '$aspnet-identity$';
/** 49 bytes that begin with 0; and 1, then a number under 2^16 of a digest. */
const BARE_V2 = /^A[A-P][A-Za-z0-9+/]{64}==$/;
const BARE_V3 = /^AQAAAA[A-P]/;

const V2 = { bytes: 49, iterations: 1000, salt: 16 };
const V3_HEADER = 13;
/** KeyDerivationPrf of ASP.NET: HMAC-SHA1, HMAC-SHA256, HMAC-SHA512. */
const digests: readonly Pbkdf2Digest[] = ['sha1', 'sha256', 'sha512'];

function read(encoded: string): ReadHash {
  const bytes = base64Hash(encoded.startsWith(LABEL) ? encoded.slice(LABEL.length) : encoded);
  if (bytes[0] === 0) return readV2(bytes);
  if (bytes[0] === 1) return readV3(bytes);
  throw new HashRejected('bad-version', 'only versions 2 (byte 0) and 3 (byte 1) are known');
}

function readV2(bytes: Buffer): ReadHash {
  if (bytes.length !== V2.bytes) {
    throw new HashRejected('bad-hash', `version 2 has ${V2.bytes} bytes`);
  }
  const salt = bytes.subarray(1, 1 + V2.salt);
  return pbkdf2Hash({ digest: 'sha1', iterations: V2.iterations, salt, hash: bytes.subarray(1 + V2.salt) });
}

function readV3(bytes: Buffer): ReadHash {
  if (bytes.length < V3_HEADER) {
    throw new HashRejected('bad-hash', `version 3 has more than ${V3_HEADER} bytes`);
  }
  const digest = digests[bytes.readUInt32BE(1)];
  if (digest === undefined) throw new HashRejected('bad-version', 'the digest must be 0, 1 or 2');
  const iterations = bytes.readUInt32BE(5);
  const saltEnd = V3_HEADER + bytes.readUInt32BE(9);
  return pbkdf2Hash({
    digest,
    iterations,
    salt: bytes.subarray(V3_HEADER, saltEnd),
    hash: bytes.subarray(saltEnd),
  });
}

export const aspnetIdentity: PasswordScheme = {
  name: 'aspnet-identity',
  forms: ['aspnet-identity'],
  recognises: (encoded) => encoded.startsWith(LABEL) || BARE_V3.test(encoded) || BARE_V2.test(encoded),
  read,
};
