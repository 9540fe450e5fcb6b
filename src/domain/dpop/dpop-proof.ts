import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, type JWTPayload } from 'jose';
import { LONGEST_JTI, MAX_ASSERTION_LENGTH, SKEW_SECONDS } from '../client-auth/assertion-rules.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import { isSignedWith, readPublicKey } from '../signing-keys/assertion-key.js';
import { readJwt } from '../signing-keys/read-jwt.js';

/** A proof is made for one request: it is as old as that took to arrive, and as far off as two clocks are (RFC 9449 §11.1). */
const PROOF_SECONDS = SKEW_SECONDS;
/** For how long a proof that was accepted has to be remembered: its clock may be ahead, and so may that of one of our machines. */
export const REMEMBERED_SECONDS = PROOF_SECONDS + 2 * SKEW_SECONDS + 1;
/** By how much a proof may be used before the moment that it names: its clock and that of one of our machines may be off. */
export const MADE_AHEAD_SECONDS = 2 * SKEW_SECONDS;

const TYPE = /^(?:application\/)?dpop\+jwt$/i;
/** Of any private or symmetric key (RFC 7518 §6); `d` and `k` are refused where keys are read. */
const PRIVATE = ['p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** RFC 3986 §2.3 */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/** The request that a proof came with. */
export interface ProofTarget {
  readonly method: string;
  /** As the service is known to the outside, never as a header names it (RFC 9449 §4.3). */
  readonly url: string;
  /** The same by its other name, where clients with certificates have one of their own (RFC 8705 §5). */
  readonly alias?: string;
  /** At a protected resource: the token that the proof has to be for. */
  readonly accessToken?: string;
}

/** What a proof shows that holds: its sender has the private half of this key. */
export interface VerifiedProof {
  /** Thumbprint of the public key (RFC 7638). */
  readonly jkt: string;
  readonly jti: string;
  /** When it was made, by the clock of whoever made it. */
  readonly iat: number;
  /** What it was signed by. */
  readonly algorithm: string;
  readonly nonce?: string;
}

/** A proof that does not hold, in the words of RFC 9449 §5: 400 at the token endpoint. */
export class DpopFault extends OAuthError {}

/**
 * Holds a DPoP proof against its request (RFC 9449 §4.3). The key comes with the proof, so a signature shows nothing but that
 * its sender has the key; whose key that is, a token says. Whether the proof was used before is asked last, by whoever knows
 * that all else is in order.
 *
 * @throws DpopFault
 */
export async function verifyDpopProof(
  proof: string,
  request: ProofTarget,
  nowSeconds: number,
): Promise<VerifiedProof> {
  const jwt = proof.length > MAX_ASSERTION_LENGTH ? undefined : readJwt(proof);
  if (jwt === undefined) throw fault('it is no JWT, or too long');
  const { typ, jwk } = jwt.header;
  if (typeof typ !== 'string' || !TYPE.test(typ)) throw fault('typ must be dpop+jwt');
  // what says the wrong thing costs neither a key nor a check of a signature
  const problem = problemOf(jwt.payload, request, nowSeconds);
  if (problem !== undefined) throw fault(problem);
  const publicJwk = readKey(jwk);
  if (!isSignedWith(jwt, publicJwk)) throw fault('it is not signed by the key in it');
  const { jti = '', iat = 0, nonce } = jwt.payload;
  const jkt = await calculateJwkThumbprint(publicJwk);
  const algorithm = String(jwt.header['alg']);
  return { jkt, jti, iat, algorithm, ...(typeof nonce === 'string' && { nonce }) };
}

/** Of a size and on a curve that we would take from an application as well. @throws DpopFault */
function readKey(jwk: unknown): JWK {
  if (typeof jwk !== 'object' || jwk === null) throw fault('jwk is missing');
  if (PRIVATE.some((name) => name in jwk)) throw fault('jwk must be a public key');
  try {
    return readPublicKey(jwk);
  } catch (error) {
    if (error instanceof ApiError) throw fault('jwk is not acceptable', error);
    throw error;
  }
}

function problemOf(
  { jti, htm, htu, iat, ath, exp, nbf }: JWTPayload,
  { method, url, alias, accessToken }: ProofTarget,
  nowSeconds: number,
): string | undefined {
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_JTI) return 'jti is missing or too long';
  if (htm !== method) return 'htm is not the method of the request';
  if (!isSameUrl(htu, url) && !(alias !== undefined && isSameUrl(htu, alias)))
    return 'htu is not the address of the request';
  if (typeof iat !== 'number') return 'iat is missing';
  if (iat < nowSeconds - PROOF_SECONDS) return 'iat is too long ago';
  if (iat > nowSeconds + SKEW_SECONDS) return 'iat is in the future';
  // neither has to be in it
  if (exp !== undefined && !(exp > nowSeconds - SKEW_SECONDS)) return 'exp is past';
  if (nbf !== undefined && !(nbf <= nowSeconds + SKEW_SECONDS)) return 'nbf is in the future';
  if (accessToken === undefined) return undefined;
  const hash = createHash('sha256').update(accessToken, 'ascii').digest('base64url');
  return ath === hash ? undefined : 'ath is not of the access token';
}

/** Without query and fragment, and however it is spelt (RFC 9449 §4.3, RFC 3986 §6.2). */
function isSameUrl(htu: unknown, url: string): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false;
  const [named, asked] = [new URL(htu), new URL(url)];
  if (named.origin !== asked.origin) return false;
  return named.pathname === asked.pathname || normalPath(named) === normalPath(asked);
}

/** What needs no escape may have one, and the digits of an escape have no case (RFC 3986 §6.2.2.1, §6.2.2.2). */
function normalPath({ pathname }: URL): string {
  return pathname.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
}

function fault(problem: string, cause?: Error): DpopFault {
  return new DpopFault('invalid_dpop_proof', `DPoP proof: ${problem}`, cause?.message);
}
