import { createPublicKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { ApiError } from '../shared/errors.js';
import { parseJson } from '../shared/unique-members.js';
import type { ReadJwt } from './read-jwt.js';

/**
 * Keys of others: applications and service users sign assertions with them (RFC 7523), we keep the public half. What
 * a key may sign with is decided by its kind, never by a token's header (RFC 8725 §3.1).
 */
const generate = promisify(generateKeyPair);

/** `Ed25519` is what RFC 9864 calls EdDSA with that curve. */
const BY_KIND = {
  RSA: ['RS256', 'PS256'],
  EC: ['ES256'],
  OKP: ['EdDSA', 'Ed25519'],
} as const;

/** Every algorithm that an assertion may be signed with: what discovery lists. */
export const ASSERTION_ALGORITHMS: readonly string[] = Object.values(BY_KIND).flat();

const RSA_BITS = 2048;
/** Past this a check costs more than anybody needs, at our expense. */
const MOST_RSA_BITS = 4096;
const MOST_TEXT = 10_000;

/** The algorithms that a stored key verifies: one if it was registered for one. */
function algorithmsOf(jwk: JWK): readonly string[] {
  return jwk.alg === undefined ? (BY_KIND[jwk.kty as keyof typeof BY_KIND] ?? []) : [jwk.alg];
}

/**
 * Whether a JWT is signed by a public key as it is stored, with an algorithm that the key may be used with.
 * @param within the algorithms that count, where not all do
 */
export function isSignedWith(jwt: ReadJwt, publicJwk: JWK, within?: readonly string[]): boolean {
  const key = createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' });
  const algorithms = algorithmsOf(publicJwk).filter((one) => within?.includes(one) !== false);
  return jwt.isSignedBy(key, algorithms);
}

/** A new RSA pair. The private half is in PEM as key files have it, and is ours only until it was handed over. */
export async function makeAssertionKey(): Promise<{ publicJwk: JWK; privatePem: string }> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: RSA_BITS });
  const privatePem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  return { publicJwk: publicKey.export({ format: 'jwk' }), privatePem };
}

/**
 * Reads a public key that somebody supplies: a JWK, or text with a JWK or a PEM, also in base64 as protojson sends
 * bytes. Only the members that make the key are kept.
 *
 * @throws ApiError invalid-argument saying what is wrong; a private key is refused, so that nobody sends one twice
 */
export function readPublicKey(given: unknown): JWK {
  const source = typeof given === 'string' ? readText(given) : given;
  if (typeof source === 'string') return jwkOf(keyFrom(() => createPublicKey(source)));
  if (typeof source !== 'object' || source === null) throw fault('must be a PEM or a JWK');
  const jwk = source as JWK;
  if ('d' in jwk || 'k' in jwk) throw fault('must not hold a private or secret key');
  if (jwk.use !== undefined && jwk.use !== 'sig') throw fault('must be a key for signatures');
  const { kty, n, e, crv, x, y } = jwk as JsonWebKey;
  // before OpenSSL computes with it: a point on a larger curve is checked at our expense
  if (kty === 'EC' && crv !== 'P-256') throw fault('must be on the curve P-256');
  const members = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined);
  const key = Object.fromEntries(members) as JsonWebKey;
  const publicJwk = jwkOf(keyFrom(() => createPublicKey({ key, format: 'jwk' })));
  if (jwk.alg === undefined) return publicJwk;
  if (!algorithmsOf(publicJwk).includes(jwk.alg)) {
    throw fault(`cannot be used with that alg, only with ${algorithmsOf(publicJwk).join(' or ')}`);
  }
  return { ...publicJwk, alg: jwk.alg };
}

/** PEM as it is, a JWK as the object it stands for. */
function readText(text: string): unknown {
  if (text.length > MOST_TEXT) throw fault('is too long');
  const plain = /^\s*(?:-----|\{)/.test(text) ? text : Buffer.from(text, 'base64').toString('utf8');
  if (/PRIVATE KEY/.test(plain)) throw fault('must not hold a private or secret key');
  // a certificate would be taken as well, but its dates and its issuer would mean nothing here
  if (/^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(plain)) return plain;
  try {
    return parseJson(plain);
  } catch {
    throw fault('must be a PEM or a JWK');
  }
}

function keyFrom(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw fault('cannot be read as a public key');
  }
}

function jwkOf(key: KeyObject): JWK {
  const { modulusLength = 0, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {};
  const type = key.asymmetricKeyType;
  if (type === 'rsa') {
    if (modulusLength < RSA_BITS || modulusLength > MOST_RSA_BITS) {
      throw fault(`must have ${RSA_BITS} to ${MOST_RSA_BITS} bits`);
    }
    // what every tool makes; a small one invites forgery, a large one makes every check dear
    if (publicExponent !== 65_537n) throw fault('must have the exponent 65537');
  } else if (type === 'ec') {
    if (namedCurve !== 'prime256v1') throw fault('must be on the curve P-256');
  } else if (type !== 'ed25519') {
    throw fault('must be an RSA, P-256 or Ed25519 key');
  }
  return key.export({ format: 'jwk' });
}

function fault(problem: string): ApiError {
  return new ApiError('invalid-argument', `publicKey ${problem}`);
}
