import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import type { PresentedProof } from '../../domain/dpop/check-dpop-proof.js';
import { DpopNonces } from '../../domain/dpop/dpop-nonces.js';
import { askedFor, nonceOn, proofOf } from './presented-token.js';

/** The headers DPoP and DPoP-Nonce (RFC 9449 §4.1, §8). A request without a proof pays nothing. */
@Injectable()
export class DpopHeaders {
  constructor(
    private readonly nonces: DpopNonces,
    private readonly config: Config,
  ) {}

  /** The proof of a request at an endpoint for clients. */
  async read(request: FastifyRequest, reply: FastifyReply): Promise<PresentedProof | undefined> {
    const proof = proofOf(request);
    if (proof === undefined) return undefined;
    await this.offerNonce(request, reply);
    return { proof, giveNonce: nonceOn(reply), ...askedFor(request, this.config.app) };
  }

  /** Whatever becomes of the request: its answer names the nonce that the next proof is to have. */
  async offerNonce(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!this.nonces.required || proofOf(request) === undefined) return;
    nonceOn(reply)(await this.nonces.current());
  }
}
