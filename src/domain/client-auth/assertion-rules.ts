import type { JWTPayload } from 'jose';
import { sha256 } from '../shared/random.js';

/** RFC 7523 §3 with RFC 10070 and security S070–S072: what a client assertion must say. */

/** A clock may be ahead of ours by this much (security F29; FAPI 2.0 §5.3.2.1 has no more). */
export const SKEW_SECONDS = 60;
/** From iat to exp: the longest that one assertion may be good. */
export const LONGEST_SECONDS = 3600;
/** Room for a certificate chain in the header, which some libraries send and nobody reads. */
export const MAX_ASSERTION_LENGTH = 8_192;

export const LONGEST_JTI = 512;

interface AssertionExpectation {
  readonly clientId: string;
  /** Any one of them, alone. */
  readonly audiences: readonly string[];
  readonly nowSeconds: number;
  /** A list of one will not do (FAPI 2.0 Security Profile §5.3.2.1). */
  readonly audienceIsText?: boolean;
}

/** What is wrong with the claims of a signed assertion, for the log; undefined when they are good. */
export function assertionProblem(
  { iss, sub, aud, exp, iat, nbf, jti }: JWTPayload,
  { clientId, audiences, nowSeconds, audienceIsText = false }: AssertionExpectation,
): string | undefined {
  if (sub !== clientId || iss !== clientId) return 'iss and sub must both be the client_id';
  if (audienceIsText && typeof aud !== 'string') return 'aud is no string';
  // more than one value would let another server that received the assertion use it here (CVE-2025-27370)
  const audience = Array.isArray(aud) ? (aud.length === 1 ? aud[0] : undefined) : aud;
  if (audience === undefined || !audiences.includes(audience)) return 'aud is not this service alone';
  if (typeof exp !== 'number' || exp <= nowSeconds) return 'exp is missing or past';
  if (typeof iat !== 'number' || iat > nowSeconds + SKEW_SECONDS) return 'iat is missing or in the future';
  if (exp - iat > LONGEST_SECONDS) return 'exp is too far from iat';
  if (nbf !== undefined && nbf > nowSeconds + SKEW_SECONDS) return 'nbf is in the future';
  if (jti !== undefined && (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_JTI)) {
    return 'jti is empty, too long or no string';
  }
  return undefined;
}

/**
 * What is remembered of a verified assertion so that it is good once: its jti, or without one what was signed. Never the
 * signature: the same assertion has several that are valid (ECDSA's second solution, spare bits of base64url).
 */
export function hashOfUse(assertion: string, { jti }: JWTPayload, signer: string): Buffer {
  if (jti !== undefined) return sha256(`${signer}\u0000${jti}`);
  // no signer begins like this, so that no jti stands for it
  return sha256(`signed\u0000${signer}\u0000${assertion.slice(0, assertion.lastIndexOf('.'))}`);
}

/** Header types that a client assertion may have: none, the general one, or its own (RFC 10070). */
export function isAssertionType(typ: unknown): boolean {
  if (typ === undefined) return true;
  return typeof typ === 'string' && /^(?:application\/)?(?:jwt|client-authentication\+jwt)$/i.test(typ);
}
