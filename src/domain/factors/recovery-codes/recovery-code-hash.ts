import type { Sealer } from '../../secrets/sealer.js';
import type { UserId } from '../../shared/ids.js';
import { readTypedCode } from '../../users/verification/verification-code.js';

/**
 * Recovery codes as they are kept. One that we know is an HMAC that is bound to its user: a stolen table is worth nothing
 * without the key. A hash that another product made is kept as it is.
 */
const OWN = 'mac:';

export function isOwnHash(hash: string): boolean {
  return hash.startsWith(OWN);
}

/** Case, blanks and dashes make no difference. */
export function recoveryCodeHash(sealer: Sealer, userId: UserId, code: string): string {
  const text = [userId, readTypedCode(code)].join('\u0000');
  return OWN + sealer.mac('recovery-code', text).toString('base64url');
}

/** A recovery code of a record: in clear, or as somebody has hashed it. */
export type RecordRecoveryCode = { readonly raw: string } | { readonly hash: string };

const EXPORTED = /^(mac:[\w-]{43})\.([\w-]{11})$/;

/** Whether text could be what `exportedHash` makes. */
export function isExportedHash(text: string): boolean {
  return EXPORTED.test(text);
}

/** An HMAC says nothing elsewhere, nor of another user: what is carried away says where and whose it is good. */
export function exportedHash(sealer: Sealer, userId: UserId, hash: string): string {
  return isOwnHash(hash) ? `${hash}.${markOf(sealer, userId)}` : hash;
}

/** @returns undefined for an HMAC that another instance has made, or for another user: no code opens it here */
export function importedHash(sealer: Sealer, userId: UserId, code: RecordRecoveryCode): string | undefined {
  if ('raw' in code) return recoveryCodeHash(sealer, userId, code.raw);
  const [, own, mark] = EXPORTED.exec(code.hash) ?? [];
  if (own === undefined) return code.hash;
  return mark === markOf(sealer, userId) ? own : undefined;
}

function markOf(sealer: Sealer, userId: UserId): string {
  return sealer.mac('recovery-code-mark', userId).subarray(0, 8).toString('base64url');
}
