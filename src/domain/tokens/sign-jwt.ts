import { Injectable } from '@nestjs/common';
import { CompactSign } from 'jose';
import { KeyRing } from '../keys/key-ring.js';
import type { SigningAlgorithm } from '../keys/signing-key.js';

const encoder = new TextEncoder();

/** Signs claims with the current key. The header is fixed: alg, kid, typ JWT (contract §7.2). */
@Injectable()
export class SignJwt {
  constructor(private readonly keyRing: KeyRing) {}

  /** The algorithm decides the hash of at_hash and c_hash, so the caller may need it before it signs. */
  async sign(claims: (algorithm: SigningAlgorithm) => Readonly<Record<string, unknown>>): Promise<string> {
    const signer = await this.keyRing.currentSigner();
    return await new CompactSign(encoder.encode(JSON.stringify(claims(signer.algorithm))))
      .setProtectedHeader({ alg: signer.algorithm, kid: signer.kid, typ: 'JWT' })
      .sign(signer.key);
  }
}
