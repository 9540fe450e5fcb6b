import { createHash, randomUUID, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT, type JWK } from 'jose';
import { makeSigner } from './assertions.js';

/** A client's key, and proofs by it (RFC 9449). */
export interface ProofKey {
  readonly alg: string;
  readonly jkt: string;
  readonly publicJwk: JWK;
  readonly privateKey: KeyObject;
}

export async function aProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { publicJwk, privateKey } = makeSigner(alg);
  return { alg, jkt: await calculateJwkThumbprint(publicJwk), publicJwk, privateKey };
}

export interface ProofChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly accessToken?: string;
}

const ISSUER = 'https://id.test';

/** A proof as a good library makes it, but for the changes. */
export async function proofOf(
  key: ProofKey,
  method: string,
  path: string,
  { claims = {}, header = {}, accessToken }: ProofChanges = {},
): Promise<string> {
  const ath =
    accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') };
  const payload = {
    jti: randomUUID(),
    htm: method,
    htu: path.startsWith('http') ? path : ISSUER + path,
    iat: Math.floor(Date.now() / 1000),
    ...ath,
    ...claims,
  };
  return await new SignJWT(payload)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: key.alg, jwk: key.publicJwk, ...header })
    .sign(key.privateKey);
}

/** Headers of a request to a protected resource. */
export async function boundBy(
  key: ProofKey,
  accessToken: string,
  method: string,
  path: string,
  changes: ProofChanges = {},
): Promise<Record<string, string>> {
  return {
    authorization: `DPoP ${accessToken}`,
    dpop: await proofOf(key, method, path, { accessToken, ...changes }),
  };
}
