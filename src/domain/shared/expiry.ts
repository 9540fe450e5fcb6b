import { ApiError } from './errors.js';

/** A credential without an end ends then (protocol §7.1). */
export const NEVER = new Date('9999-12-31T23:59:59Z');

/** @throws ApiError invalid-argument for a time that is over */
export function requireFuture(expiresAt: Date | undefined, nowMs: number): void {
  if (expiresAt === undefined || expiresAt.getTime() > nowMs) return;
  throw new ApiError('invalid-argument', 'expirationDate must lie in the future', 'DOMAIN-dv3t5');
}
