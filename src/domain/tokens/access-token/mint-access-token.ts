import { Injectable } from '@nestjs/common';
import { signedBy } from '../../applications/security-profile.js';
import { Clock } from '../../shared/clock.js';
import { KeyRing } from '../../signing-keys/key-ring.js';
import { TokenClaims, tokenIdFor } from '../claims/token-claims.js';
import type { ClaimSet } from '../claims/user-claims.js';
import type { IssueRequest } from '../issue-request.js';
import { SignJwt } from '../jwt/sign-jwt.js';
import { lifetimesOf } from '../token-lifetimes.js';
import { TokenSettings } from '../token-settings.js';
import type { AccessTokenContent } from './access-token.js';
import { sealOpaqueToken } from './opaque-token.js';

/** An access token in the form that its client gets: sealed, or signed as a JWT. */
@Injectable()
export class MintAccessToken {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly signJwt: SignJwt,
    private readonly claims: TokenClaims,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /** @param added what somebody else's server adds; an opaque token says nothing of its own */
  async execute(granted: IssueRequest, added: ClaimSet): Promise<string> {
    const { resources } = granted;
    const request = resources === undefined ? granted : { ...granted, audience: resources };
    const { client } = request;
    const now = this.clock.nowSeconds();
    const content: AccessTokenContent = {
      jti: tokenIdFor(request),
      subject: request.subjectId,
      clientId: client.clientId,
      ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
      scopes: request.scopes,
      audience: request.audience,
      ...(request.actor === undefined ? {} : { actor: request.actor }),
      ...(request.confirmation === undefined ? {} : { confirmation: request.confirmation }),
      issuedAt: now - client.clockSkewSeconds,
      expiresAt: now + lifetimesOf(client, this.settings).accessTokenSeconds + client.clockSkewSeconds,
    };
    if (client.accessTokenType === 'opaque') {
      return sealOpaqueToken(await this.keyRing.currentTokenKey(), content);
    }
    const claims = await this.claims.ofAccessToken(request);
    return await this.signJwt.sign(
      () => ({ ...added, ...claims }),
      client.accessTokenAtJwt === true ? 'at+jwt' : 'JWT',
      signedBy(client),
    );
  }
}
