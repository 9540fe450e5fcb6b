import { createHash } from 'node:crypto';
import { compactVerify, importJWK } from 'jose';
import { isText, parseObject, type Json } from './json.js';
import { keysOf } from './jwks.js';

export interface Jwt {
  readonly header: Json;
  readonly claims: Json;
}

/** @throws Error for anything but three parts, of which the first two are JSON objects */
export function readJwt(token: string): Jwt {
  const parts = token.split('.');
  const [header, claims] = parts.map((part) => parseObject(Buffer.from(part, 'base64url').toString()));
  if (parts.length !== 3 || header === undefined || claims === undefined) throw new Error('this is no JWT');
  return { header, claims };
}

const KEY_TYPE: Readonly<Record<string, string>> = { RS: 'RSA', PS: 'RSA', ES: 'EC', Ed: 'OKP' };

/** Exactly one published key fits kid, kty, alg and use, and it verifies the signature. */
export async function signatureFaults(what: string, token: string, jwks: Json): Promise<string[]> {
  const { alg, kid } = readJwt(token).header;
  const type = isText(alg) ? KEY_TYPE[alg.slice(0, 2)] : undefined;
  if (!isText(alg) || type === undefined) return [`${what}: signed with ${String(alg)}`];
  const fitting = keysOf(jwks).filter(
    (key) =>
      key['kty'] === type &&
      (kid === undefined || key['kid'] === kid) &&
      (key['alg'] === undefined || key['alg'] === alg) &&
      (key['use'] === undefined || key['use'] === 'sig'),
  );
  const [key] = fitting;
  if (key === undefined || fitting.length > 1) return [`${what}: ${fitting.length} keys fit its header`];
  try {
    await compactVerify(token, await importJWK({ ...key, kty: type }, alg), { algorithms: [alg] });
    return [];
  } catch {
    return [`${what}: the signature does not verify`];
  }
}

/** at_hash and c_hash (OpenID Connect Core §3.1.3.6, §3.3.2.11): the left half of the hash that belongs to alg. */
export function halfHash(alg: string, value: string): string {
  // Ed25519 signs over SHA-512 (RFC 8032 §5.1)
  const bits = alg === 'EdDSA' || alg === 'Ed25519' ? '512' : alg.slice(-3);
  const digest = createHash(`sha${bits}`).update(value, 'ascii').digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
