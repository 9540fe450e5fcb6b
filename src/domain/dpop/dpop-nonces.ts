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
const MAC_BYTES = 16;
const FORM = /^[A-Za-z0-9_-]{32}$/;

/**
 * Nonces for DPoP proofs: key id (4) | span (4) | tag (16). Nothing is stored, and each replica knows those of the others:
 * the tag is made with the key that seals access tokens. Those are sealed with keys of their own, derived from 16 random bytes;
 * what is authenticated here is longer, so neither can stand for the other.
 */
@Injectable()
export class DpopNonces {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly clock: Clock,
    private readonly settings: DpopSettings,
  ) {}

  get required(): boolean {
    return this.settings.nonceRequired;
  }

  async current(): Promise<string> {
    const { id, key } = await this.keyRing.currentTokenKey();
    return nonceOf(id, key, this.span()).toString('base64url');
  }

  async isGood(nonce: string): Promise<boolean> {
    if (!FORM.test(nonce)) return false;
    const bytes = Buffer.from(nonce, 'base64url');
    const id = bytes.readUInt32BE(0);
    const age = this.span() - bytes.readUInt32BE(4);
    const known = age === 0 || age === 1 ? await this.keyRing.tokenKey(id) : undefined;
    return known !== undefined && timingSafeEqual(nonceOf(id, known.key, this.span() - age), bytes);
  }

  private span(): number {
    return Math.floor(this.clock.nowSeconds() / SPAN_SECONDS);
  }
}

function nonceOf(id: number, key: Buffer, span: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(span, 4);
  const tag = createHmac('sha256', key).update('a nonce for DPoP proofs').update(head).digest();
  return Buffer.concat([head, tag.subarray(0, MAC_BYTES)]);
}
