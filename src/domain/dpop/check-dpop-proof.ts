import { Injectable } from '@nestjs/common';
import { FAPI_ALGORITHMS, isFapi, type Profiled } from '../applications/security-profile.js';
import { Clock } from '../shared/clock.js';
import { sha256 } from '../shared/random.js';
import { DpopNonces } from './dpop-nonces.js';
import {
  DpopFault,
  REMEMBERED_SECONDS,
  verifyDpopProof,
  type ProofTarget,
  type VerifiedProof,
} from './dpop-proof.js';
import { UsedProofsStore } from './used-proofs.store.js';

/** A proof as it came, with the request that it has to be for. */
export interface PresentedProof extends ProofTarget {
  readonly proof: string;
}

/** Checks proofs of possession (RFC 9449) in two steps, so that only what is in order otherwise is remembered. */
@Injectable()
export class CheckDpopProof {
  constructor(
    private readonly nonces: DpopNonces,
    private readonly used: UsedProofsStore,
    private readonly clock: Clock,
  ) {}

  /** Without I/O. @param client whose proof it is, where that is known already @throws DpopFault */
  async verify({ proof, ...request }: PresentedProof, client: Profiled = {}): Promise<VerifiedProof> {
    const verified = await verifyDpopProof(proof, request, this.clock.nowSeconds());
    requireAllowedAlgorithm(verified, client);
    if (this.nonces.required && !(await this.nonces.isGood(verified.nonce ?? ''))) {
      throw new DpopFault('use_dpop_nonce', 'DPoP proof: the nonce of the header DPoP-Nonce is required');
    }
    return verified;
  }

  /**
   * The last step: nobody fills the table who has not shown a token, a code or a secret that is good. @throws DpopFault
   */
  async useUp(verified: VerifiedProof): Promise<void> {
    if (!(await this.used.use(hashOf(verified), REMEMBERED_SECONDS))) throw usedBefore();
  }

  /**
   * Before a code or a refresh token is used up, which could not be had back: a client that sends its last proof again loses
   * nothing. Of two at once, `useUp` still lets one through. @throws DpopFault
   */
  async requireUnused(verified: VerifiedProof): Promise<void> {
    if (await this.used.isUsed(hashOf(verified))) throw usedBefore();
  }
}

/** FAPI 2.0 Security Profile §5.4.1. @throws DpopFault */
export function requireAllowedAlgorithm({ algorithm }: VerifiedProof, client: Profiled): void {
  if (!isFapi(client) || FAPI_ALGORITHMS.includes(algorithm)) return;
  throw new DpopFault(
    'invalid_dpop_proof',
    `DPoP proof: this application signs by one of ${FAPI_ALGORITHMS.join(', ')}`,
  );
}

function hashOf({ jkt, jti }: VerifiedProof): Buffer {
  return sha256(`${jkt}\u0000${jti}`);
}

function usedBefore(): DpopFault {
  return new DpopFault('invalid_dpop_proof', 'DPoP proof: it was used before');
}
