import { createHmac } from 'node:crypto';
import type { Application } from '../applications/application.js';
import type { NewRefreshToken } from '../authorizations/authorizations.store.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import { openBytes, sealBytes } from '../secrets/envelope.js';
import { randomToken, sha256 } from '../shared/random.js';
import { lifetimesOf } from '../tokens/token-lifetimes.js';
import type { TokenSettings } from '../tokens/token-settings.js';

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

/**
 * What is stored of a token that begins a family; null where no token is given. That of a public client is bound to the key or
 * certificate that it came with, since nothing else shows whose it is; one with a secret may change them (RFC 9449 §5, RFC 8705 §4).
 */
export function firstOfFamily(
  token: string | undefined,
  application: Application,
  settings: TokenSettings,
  confirmation: Confirmation | undefined,
): NewRefreshToken | null {
  if (token === undefined) return null;
  const { refreshIdleSeconds, refreshAbsoluteSeconds } = lifetimesOf(application, settings);
  return {
    hash: refreshTokenHash(token),
    idleSeconds: refreshIdleSeconds,
    absoluteSeconds: refreshAbsoluteSeconds,
    confirmation: application.authMethod === 'none' ? (confirmation ?? null) : null,
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
