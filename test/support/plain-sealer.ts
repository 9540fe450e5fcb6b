import { createHmac } from 'node:crypto';
import { Sealer, type SealedValue } from '../../src/domain/secrets/sealer.js';

/** Makes digests, and has no key to seal with. */
export class PlainSealer extends Sealer {
  override seal(): SealedValue {
    throw new Error('not asked for');
  }
  override open(): Promise<Buffer> {
    throw new Error('not asked for');
  }
  override mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', purpose).update(text).digest();
  }
}
