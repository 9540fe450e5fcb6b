import type { IncomingMessage } from 'node:http';
import { AddressRefused } from './guarded-lookup.js';

/** OpenSSL's and Node's names for a certificate that does not hold. */
const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;

/** Why a request got no answer, by kind only: messages of Node name hosts and addresses. */
interface RequestFault {
  readonly kind: 'address' | 'timeout' | 'dns' | 'tls' | 'connection';
  /** As the system calls it: ECONNREFUSED. */
  readonly code: string;
}

/** @param error that `oneRequest` fails with */
export function faultOf(error: unknown): RequestFault {
  const { name, code: given } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError') return { kind: 'timeout', code: 'ETIMEDOUT' };
  const code = String(given);
  if (error instanceof AddressRefused) return { kind: 'address', code };
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return { kind: 'dns', code };
  return { kind: TLS_CODES.test(code) ? 'tls' : 'connection', code };
}

/** Seconds only; a date would be held against a clock that is not ours. */
export function retryAfterMs({ headers }: IncomingMessage, longestMs: number): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined || !/^[0-9]{1,6}$/.test(header)) return undefined;
  return Math.min(Number(header) * 1000, longestMs);
}
