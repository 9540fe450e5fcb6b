import { createHmac } from 'node:crypto';
import type { NewRefreshToken } from '../authorizations/authorizations.store.js';
import { openBytes, sealBytes } from '../secrets/envelope.js';
import { randomToken, sha256 } from '../shared/random.js';
import type { TokenLifetimes } from '../tokens/token-lifetimes.js';

/**
 * Refresh tokens: 256 random bits, stored as SHA-256. A rotated token can open its sealed successor, the database
 * alone cannot: the sealing key is derived from the old token itself.
 */
const PREFIX = 'rt_';
const FORM = /^rt_[A-Za-z0-9_-]{43}$/;

export function makeRefreshToken(): string {
  return PREFIX + randomToken(32);
}

export function isRefreshToken(text: string): boolean {
  // the last character of 43 carries four bits only; another spelling hashes differently and is not found
  return FORM.test(text);
}

export function refreshTokenHash(token: string): Buffer {
  return sha256(token);
}

/** What is stored of a token that begins a family; null where no token is given. */
export function firstOfFamily(
  token: string | undefined,
  { refreshIdleSeconds, refreshAbsoluteSeconds }: TokenLifetimes,
): NewRefreshToken | null {
  if (token === undefined) return null;
  return {
    hash: refreshTokenHash(token),
    idleSeconds: refreshIdleSeconds,
    absoluteSeconds: refreshAbsoluteSeconds,
  };
}

function successorKey(token: string): Buffer {
  return createHmac('sha256', token).update('refresh-token-successor').digest();
}

export function sealSuccessor(token: string, successor: string): Buffer {
  return sealBytes(successorKey(token), Buffer.from(successor), 'refresh_tokens');
}

export function openSuccessor(token: string, sealed: Buffer): string {
  return openBytes(successorKey(token), sealed, 'refresh_tokens').toString('utf8');
}
