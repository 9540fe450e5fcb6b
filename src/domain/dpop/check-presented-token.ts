import { Injectable } from '@nestjs/common';
import {
  confirmationOfCertificate,
  confirmationOfKey,
  isOfCertificate,
  missing,
} from '../authorizations/confirmation.js';
import type { ClientCertificate } from '../certificates/client-certificate.js';
import { OAuthError, type OAuthErrorCode } from '../shared/errors.js';
import { ASSERTION_ALGORITHMS } from '../signing-keys/assertion-key.js';
import { CheckAccessToken, type LiveToken } from '../tokens/access-token/check-access-token.js';
import { CheckDpopProof, requireAllowedAlgorithm, type ProofSender } from './check-dpop-proof.js';
import { DpopFault, type ProofTarget } from './dpop-proof.js';

/** An access token as a request to a protected resource presents it. */
export type PresentedToken = BearerToken | BoundToken;

interface BearerToken {
  readonly scheme: 'Bearer';
  readonly token: string;
  /** Reads the certificate that the request has come with. */
  readonly certificate?: () => ClientCertificate | undefined;
}

interface BoundToken extends Pick<ProofTarget, 'method' | 'url' | 'alias'>, ProofSender {
  readonly scheme: 'DPoP';
  readonly token: string;
  /** The header of that name. */
  readonly proof: string | undefined;
}

/**
 * A token that needs a proof, or one whose proof does not hold: the challenge is of the scheme DPoP (RFC 9449 §7.1). One that
 * needs a certificate is a bearer token beside (RFC 8705 §3).
 */
export class ProofChallenge extends OAuthError {
  constructor(
    code: OAuthErrorCode,
    description: string,
    reason?: string,
    private readonly scheme: 'DPoP' | 'Bearer' = 'DPoP',
  ) {
    super(code, description, reason);
  }

  /** Value of WWW-Authenticate. */
  get challenge(): string {
    if (this.scheme === 'Bearer') {
      return `Bearer error="${this.code}", error_description="${this.description}"`;
    }
    const algorithms = ASSERTION_ALGORITHMS.join(' ');
    return `DPoP error="${this.code}", error_description="${this.description}", algs="${algorithms}"`;
  }
}

/**
 * Whether a token is good where it is presented: one that is bound to a key by its proof alone, never as a bearer token, and
 * one that is not never by a proof (RFC 9449 §7.1, §7.2); one that is bound to a certificate where that has come with the
 * request (RFC 8705 §3). Of a bearer token nothing more is asked than was.
 */
@Injectable()
export class CheckPresentedToken {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly proofs: CheckDpopProof,
  ) {}

  /**
   * @param withContext as `CheckAccessToken` has it
   * @returns undefined for a bearer token that is not good
   * @throws ProofChallenge
   */
  async check(presented: PresentedToken, withContext = false): Promise<LiveToken | undefined> {
    if (presented.scheme === 'DPoP') return await this.checkBound(presented, withContext);
    const live = await this.checkAccessToken.check(presented.token, withContext);
    if (live?.confirmation === undefined) return live;
    if (!isOfCertificate(live.confirmation)) {
      throw refused('the access token is bound to a key and is no bearer token');
    }
    const certificate = presented.certificate?.();
    if (
      certificate !== undefined &&
      confirmationOfCertificate(certificate.thumbprint) === live.confirmation
    ) {
      return live;
    }
    const problem = `the access token is ${missing(live.confirmation)}`;
    throw new ProofChallenge('invalid_token', problem, undefined, 'Bearer');
  }

  private async checkBound(
    { token, proof, ...request }: BoundToken,
    withContext: boolean,
  ): Promise<LiveToken> {
    try {
      if (proof === undefined) throw refused('the DPoP header is missing', 'invalid_dpop_proof');
      const held = await this.proofs.verify({ proof, ...request, accessToken: token });
      const live = await this.checkAccessToken.check(token, withContext);
      if (live === undefined) throw refused('access token is invalid or expired');
      if (live.confirmation === undefined) throw refused('the access token is bound to no key');
      if (live.confirmation !== confirmationOfKey(held.jkt))
        throw refused('the access token is bound to another key');
      requireAllowedAlgorithm(held, live);
      // whatever becomes of the call: a proof that was seen in order is declined when it comes again (RFC 9449 §11.1), or one
      // that somebody read on its way would be good for whatever the owner was refused
      await this.proofs.useUp(held);
      return live;
    } catch (error) {
      throw error instanceof DpopFault ? refused(error.description, error.code, error.reason) : error;
    }
  }
}

function refused(
  description: string,
  code: OAuthErrorCode = 'invalid_token',
  reason?: string,
): ProofChallenge {
  return new ProofChallenge(code, description, reason);
}
