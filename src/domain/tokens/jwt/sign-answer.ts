import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import type { SignedBy } from '../../signing-keys/key-ring.js';
import type { ClaimSet } from '../claims/user-claims.js';
import { TokenSettings } from '../token-settings.js';
import { SignJwt } from './sign-jwt.js';

/** For how long an authorization response is good, in seconds: the most that JARM §2.1 recommends. */
const AUTHORIZATION_SECONDS = 600;

/** Answers that are signed for the client that asks, so that it can show later who said so. */
@Injectable()
export class SignAnswer {
  constructor(
    private readonly signJwt: SignJwt,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /** OpenID Connect Core §5.3.2. */
  async ofUserinfo(claims: ClaimSet, clientId: string | undefined, by: SignedBy): Promise<string> {
    return await this.signJwt.sign(
      () => ({ ...claims, iss: this.settings.issuer, aud: clientId }),
      'JWT',
      by,
    );
  }

  /**
   * JARM §2.1. Whatever the parameters are, they say nothing of issuer, audience and expiry themselves. Nothing in it is a
   * `sub` or a `jti` of ours, so that it passes for no ID token and no access token.
   */
  async ofAuthorization(
    parameters: Readonly<Record<string, string | undefined>>,
    clientId: string,
    by: SignedBy,
  ): Promise<string> {
    const exp = this.clock.nowSeconds() + AUTHORIZATION_SECONDS;
    return await this.signJwt.sign(
      () => ({ ...parameters, iss: this.settings.issuer, aud: clientId, exp }),
      'JWT',
      by,
    );
  }

  /** RFC 9701 §5: the claims about the token are separate from the JWT's own claims. */
  async ofIntrospection(answer: ClaimSet, clientId: string, by: SignedBy): Promise<string> {
    return await this.signJwt.sign(
      () => ({
        iss: this.settings.issuer,
        aud: clientId,
        iat: this.clock.nowSeconds(),
        token_introspection: answer,
      }),
      'token-introspection+jwt',
      by,
    );
  }
}
