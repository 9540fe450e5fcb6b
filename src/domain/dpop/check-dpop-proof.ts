import { Injectable } from '@nestjs/common';
import { FAPI_ALGORITHMS, isFapi, type Profiled } from '../applications/security-profile.js';
import { Clock } from '../shared/clock.js';
import { sha256 } from '../shared/random.js';
import { DpopNonces } from './dpop-nonces.js';
import {
  DpopFault,
  MADE_AHEAD_SECONDS,
  REMEMBERED_SECONDS,
  verifyDpopProof,
  type ProofTarget,
  type VerifiedProof,
} from './dpop-proof.js';
import { UsedProofsStore, type ProofToUse } from './used-proofs.store.js';

/** Where a proof came from. */
export interface ProofSender {
  /** Names, with whatever is answered, the nonce that the next proof is to have. */
  readonly giveNonce: (nonce: string) => void;
}

/** A proof as it came, with the request that it has to be for. */
export interface PresentedProof extends ProofTarget, ProofSender {
  readonly proof: string;
}

/** A proof that holds, and may have been used before. */
interface ValidProof extends VerifiedProof, ProofSender {
  readonly toUse: ProofToUse;
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
  async verify({ proof, giveNonce, ...request }: PresentedProof, client: Profiled = {}): Promise<ValidProof> {
    const verified = await verifyDpopProof(proof, request, this.clock.nowSeconds());
    requireAllowedAlgorithm(verified, client);
    const { jkt, jti, iat, nonce = '' } = verified;
    if (this.nonces.required && !(await this.nonces.isGood(nonce))) {
      throw nonceRequired('the nonce of the header DPoP-Nonce is required');
    }
    const toUse = {
      hash: sha256(`${jkt}\u0000${jti}`),
      notUsedBefore: iat - MADE_AHEAD_SECONDS,
      memory: await this.nonces.memoryOf(nonce),
    };
    return { ...verified, giveNonce, toUse };
  }

  /**
   * The last step: nobody fills the table who has not shown a token, a code or a secret that is good. @throws DpopFault
   */
  async useUp(held: ValidProof): Promise<void> {
    if (await this.used.use(held.toUse, REMEMBERED_SECONDS)) return;
    await this.requireUnused(held);
    // somebody else was faster, and is remembered no more
    throw usedBefore();
  }

  /**
   * Before a code or a refresh token is used up, which could not be had back: a client that sends its last proof again loses
   * nothing. Of two at once, `useUp` still lets one through.
   *
   * Where the memory of used proofs was lost, a proof counts that it covers, or whose nonce shows that it is younger.
   *
   * @throws DpopFault
   */
  async requireUnused({ toUse, giveNonce }: ValidProof): Promise<void> {
    const { isUsed, isCovered, memory } = await this.used.find(toUse);
    if (isUsed) throw usedBefore();
    if (isCovered) return;
    giveNonce(await this.nonces.current(memory));
    throw nonceRequired('used proofs were forgotten, and the nonce of the header DPoP-Nonce is required');
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

function nonceRequired(problem: string): DpopFault {
  return new DpopFault('use_dpop_nonce', `DPoP proof: ${problem}`);
}

function usedBefore(): DpopFault {
  return new DpopFault('invalid_dpop_proof', 'DPoP proof: it was used before');
}
