import { Injectable } from '@nestjs/common';
import { confirmationOfKey } from '../authorizations/confirmation.js';
import { OAuthError, type OAuthErrorCode } from '../shared/errors.js';
import { ASSERTION_ALGORITHMS } from '../signing-keys/assertion-key.js';
import { CheckAccessToken, type LiveToken } from '../tokens/check-access-token.js';
import { CheckDpopProof } from './check-dpop-proof.js';
import { DpopFault } from './dpop-proof.js';

/** An access token as a request to a protected resource presents it. */
export type PresentedToken = { readonly scheme: 'Bearer'; readonly token: string } | BoundToken;

interface BoundToken {
  readonly scheme: 'DPoP';
  readonly token: string;
  /** The header of that name. */
  readonly proof: string | undefined;
  readonly method: string;
  readonly url: string;
}

/** A token that needs a proof, or one whose proof does not hold: the challenge is of the scheme DPoP (RFC 9449 §7.1). */
export class ProofChallenge extends OAuthError {
  /** Value of WWW-Authenticate. */
  get challenge(): string {
    const algorithms = ASSERTION_ALGORITHMS.join(' ');
    return `DPoP error="${this.code}", error_description="${this.description}", algs="${algorithms}"`;
  }
}

/**
 * Whether a token is good where it is presented: one that is bound to a key by its proof alone, never as a bearer token, and
 * one that is not never by a proof (RFC 9449 §7.1, §7.2). Of a bearer token nothing more is asked than was.
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
    throw refused('the access token is bound to a key and is no bearer token');
  }

  private async checkBound(
    { token, proof, method, url }: BoundToken,
    withContext: boolean,
  ): Promise<LiveToken> {
    try {
      if (proof === undefined) throw refused('the DPoP header is missing', 'invalid_dpop_proof');
      const proven = await this.proofs.verify({ proof, method, url, accessToken: token });
      const live = await this.checkAccessToken.check(token, withContext);
      if (live === undefined) throw refused('access token is invalid or expired');
      if (live.confirmation === undefined) throw refused('the access token is bound to no key');
      if (live.confirmation !== confirmationOfKey(proven.jkt))
        throw refused('the access token is bound to another key');
      await this.proofs.useUp(proven);
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
