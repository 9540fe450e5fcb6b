import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';
import { SignJwt } from './sign-jwt.js';
import { TokenSettings } from './token-settings.js';
import type { ClaimSet } from './user-claims.js';

/** Answers that are signed for the client that asks, so that it can show later who said so. */
@Injectable()
export class SignAnswer {
  constructor(
    private readonly signJwt: SignJwt,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /** OpenID Connect Core §5.3.2. */
  async ofUserinfo(
    claims: ClaimSet,
    clientId: string | undefined,
    algorithm: SigningAlgorithm,
  ): Promise<string> {
    return await this.signJwt.sign(
      () => ({ ...claims, iss: this.settings.issuer, aud: clientId }),
      'JWT',
      algorithm,
    );
  }

  /** RFC 9701 §5: what is told about the token stands apart from what the JWT says of itself. */
  async ofIntrospection(answer: ClaimSet, clientId: string): Promise<string> {
    return await this.signJwt.sign(
      () => ({
        iss: this.settings.issuer,
        aud: clientId,
        iat: this.clock.nowSeconds(),
        token_introspection: answer,
      }),
      'token-introspection+jwt',
    );
  }
}
