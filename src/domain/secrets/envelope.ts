import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { randomBytes } from '../shared/random.js';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SealBroken extends Error {
  constructor() {
    super('a sealed value does not open: changed, moved, or sealed under another key');
    this.name = 'SealBroken';
  }
}

/** A key for one purpose, derived from a 256-bit one (HKDF-SHA256, RFC 5869). */
export function deriveKey(key: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), label, 32));
}

/** AES-256-GCM: version | nonce | ciphertext | tag, bound to `associated`. */
export function sealBytes(key: Buffer, plain: Buffer, associated: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(associated));
  return Buffer.concat([
    Buffer.from([VERSION]),
    nonce,
    cipher.update(plain),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** @throws SealBroken */
export function openBytes(key: Buffer, sealed: Buffer, associated: string): Buffer {
  if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION) throw new SealBroken();
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(1 + NONCE_BYTES, sealed.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    throw new SealBroken();
  }
}

/** Identifies a master key without revealing it, so that a row names the key that wrapped it. */
export function masterKeyId(masterKey: Buffer): string {
  return createHash('sha256').update('master-key-id').update(masterKey).digest('base64url').slice(0, 16);
}
