import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import { KeyRing } from '../signing-keys/key-ring.js';

/** Settings of this module; also the token under which configuration provides them. */
export abstract class DpopSettings {
  /** Whether a proof has to carry a nonce of ours (RFC 9449 §8, §9). */
  abstract readonly nonceRequired: boolean;
}

/** A nonce is good in its own span and in the next one. */
const SPAN_SECONDS = 300;
/** A key's id and the span, four bytes each. */
const HEAD_BYTES = 8;
const MAC_BYTES = 16;
/** As base64url; without padding, the last character of the longer form may be spelt in more than one way. */
const FORM = /^[A-Za-z0-9_-]{32}(?:[A-Za-z0-9_-]{22})?$/;

/**
 * Nonces for DPoP proofs: key id (4) | span (4) | memory (16) or nothing | tag (16). Nothing is stored, and each replica knows
 * those of the others: the tag is made with the key that seals access tokens. Those are sealed with keys of their own, derived
 * from 16 random bytes; what is authenticated here is longer, so neither can stand for the other.
 *
 * One that names a memory of used proofs shows that the proof was made when that had begun.
 */
@Injectable()
export class DpopNonces {
  private memory: Buffer = Buffer.alloc(0);

  constructor(
    private readonly keyRing: KeyRing,
    private readonly clock: Clock,
    private readonly settings: DpopSettings,
  ) {}

  get required(): boolean {
    return this.settings.nonceRequired;
  }

  /** @param memory of used proofs that it is to name: since that was lost, clients that must have nonces are given such ones */
  async current(memory?: string): Promise<string> {
    if (memory !== undefined) this.memory = Buffer.from(memory.replaceAll('-', ''), 'hex');
    const { id, key } = await this.keyRing.currentTokenKey();
    return nonceOf(id, key, this.span(), this.memory).toString('base64url');
  }

  async isGood(nonce: string): Promise<boolean> {
    if (!FORM.test(nonce)) return false;
    const bytes = Buffer.from(nonce, 'base64url');
    const id = bytes.readUInt32BE(0);
    const span = bytes.readUInt32BE(4);
    const age = this.span() - span;
    const known = age === 0 || age === 1 ? await this.keyRing.tokenKey(id) : undefined;
    return known !== undefined && timingSafeEqual(nonceOf(id, known.key, span, memoryIn(bytes)), bytes);
  }

  /** The memory that a good nonce names, as a UUID. */
  async memoryOf(nonce: string): Promise<string | undefined> {
    const memory = memoryIn(Buffer.from(nonce, 'base64url')).toString('hex');
    if (memory === '' || !(await this.isGood(nonce))) return undefined;
    return memory.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  private span(): number {
    return Math.floor(this.clock.nowSeconds() / SPAN_SECONDS);
  }
}

/** Empty for a nonce that names none. */
function memoryIn(nonce: Buffer): Buffer {
  return nonce.subarray(HEAD_BYTES, -MAC_BYTES);
}

function nonceOf(id: number, key: Buffer, span: number, memory: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + memory.length);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(span, 4);
  memory.copy(head, HEAD_BYTES);
  const tag = createHmac('sha256', key).update('a nonce for DPoP proofs').update(head).digest();
  return Buffer.concat([head, tag.subarray(0, MAC_BYTES)]);
}
