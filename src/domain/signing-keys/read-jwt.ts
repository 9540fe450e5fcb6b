import { constants, verify, type KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { parseJson } from '../shared/unique-members.js';

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** RFC 7518 §3.3 */
const LEAST_RSA_BITS = 2048;

interface Check {
  /** What `asymmetricKeyType` must say: the kind of key decides, never the header alone (RFC 8725 §3.1). */
  readonly type: 'rsa' | 'ec' | 'ed25519';
  /** Ed25519 has its own inside (RFC 8032, RFC 8037 §3.1). */
  readonly digest: string | null;
  readonly options: object;
}

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['RS256', { type: 'rsa', digest: 'sha256', options: {} }],
  // salt as long as the hash (RFC 7518 §3.5)
  [
    'PS256',
    { type: 'rsa', digest: 'sha256', options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  ],
  // R and S side by side (RFC 7518 §3.4)
  ['ES256', { type: 'ec', digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' } }],
  ['EdDSA', { type: 'ed25519', digest: null, options: {} }],
  ['Ed25519', { type: 'ed25519', digest: null, options: {} }],
]);

/** A JWT taken apart. Nothing in it means anything before `isSignedBy` has said yes. */
export class ReadJwt {
  constructor(
    readonly header: Readonly<Record<string, unknown>>,
    readonly payload: JWTPayload,
    private readonly signed: Buffer,
    private readonly signature: Buffer,
  ) {}

  /** @param algorithms what the key may sign with, by its record */
  isSignedBy(key: KeyObject, algorithms: readonly string[]): boolean {
    const { alg, crit } = this.header;
    // no extension is understood here, so none may be critical (RFC 7515 §4.1.11)
    if (crit !== undefined || typeof alg !== 'string' || !algorithms.includes(alg)) return false;
    const check = CHECKS.get(alg);
    if (check === undefined || key.asymmetricKeyType !== check.type) return false;
    const { modulusLength } = key.asymmetricKeyDetails ?? {};
    if (modulusLength !== undefined && modulusLength < LEAST_RSA_BITS) return false;
    return verify(check.digest, this.signed, { key, ...check.options }, this.signature);
  }
}

/**
 * Takes a compact JWS with claims apart (RFC 7519 §7.2, RFC 7515 §5.2), or gives undefined for what is none: also where a
 * time is no number, or a member is there twice, since the signature covers both, and who reads which is anybody's guess (RFC 7515 §4, RFC 8725
 * §2.4). Goes to OpenSSL directly, as SignJwt does: a check takes a twentieth of a millisecond, and the detour by way of
 * WebCrypto as much again, for each JWT that somebody introspects. Whoever calls bounds the length before.
 */
export function readJwt(token: string): ReadJwt | undefined {
  const parts = COMPACT.exec(token);
  if (parts === null) return undefined;
  const [, head = '', body = '', signature = ''] = parts;
  const header = jsonObject(head);
  const payload = jsonObject(body);
  if (header === undefined || payload === undefined || !hasTimes(payload)) return undefined;
  return new ReadJwt(
    header,
    payload,
    Buffer.from(token.slice(0, head.length + 1 + body.length), 'ascii'),
    Buffer.from(signature, 'base64url'),
  );
}

/** NumericDate (RFC 7519 §4.1): of a text that looks like a number, whoever compares it would not notice. */
function hasTimes({ exp, nbf, iat }: Readonly<Record<string, unknown>>): boolean {
  return [exp, nbf, iat].every((time) => time === undefined || typeof time === 'number');
}

function jsonObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
