import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { CheckPresentedToken, ProofChallenge } from '../../domain/dpop/check-presented-token.js';
import { authHeaderInvalid, authHeaderMissing, ProofRefused } from '../../domain/shared/errors.js';
import type { LiveToken } from '../../domain/tokens/access-token/check-access-token.js';
import { DpopHeaders } from './dpop-headers.js';
import { presentedToken } from './presented-token.js';
import { ClientCertificates } from './server/client-certificates.js';

/**
 * The token of a request to the APIs (protocol §0.4), from the Authorization header and from nowhere else: one in the query
 * would end up in logs.
 */
@Injectable()
export class ApiTokens {
  constructor(
    private readonly checkPresentedToken: CheckPresentedToken,
    private readonly dpopHeaders: DpopHeaders,
    private readonly certificates: ClientCertificates,
    private readonly config: Config,
  ) {}

  /**
   * @param withContext as `CheckAccessToken` has it
   * @returns undefined for a token that is not good
   * @throws ApiError unauthenticated
   */
  async check(
    request: FastifyRequest,
    reply: FastifyReply,
    withContext: boolean,
  ): Promise<LiveToken | undefined> {
    if (request.headers.authorization === undefined) throw authHeaderMissing();
    const presented = presentedToken(request, reply, this.certificates, this.config.app);
    if (presented === undefined) throw authHeaderInvalid();
    try {
      if (presented.scheme === 'DPoP') await this.dpopHeaders.offerNonce(request, reply);
      return await this.checkPresentedToken.check(presented, withContext);
    } catch (error) {
      throw error instanceof ProofChallenge ? new ProofRefused(error.description, error.challenge) : error;
    }
  }
}
