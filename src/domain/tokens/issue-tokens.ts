import { Injectable } from '@nestjs/common';
import type { Application } from '../clients/application.js';
import { KeyRing } from '../keys/key-ring.js';
import { Clock } from '../shared/clock.js';
import type { AccessTokenContent } from './access-token.js';
import { sealOpaqueToken } from './opaque-token.js';
import { SignJwt } from './sign-jwt.js';
import type { ProvenGrant } from './grants.store.js';
import { leftHalfHash } from './token-hash.js';
import { makeTokenId } from './token-id.js';
import { lifetimesOf, type TokenLifetimes } from './token-lifetimes.js';
import { TokenSettings } from './token-settings.js';
import { TokensStore } from './tokens.store.js';
import { type ClaimSet, claimsOf, hasUserClaims } from './user-claims.js';

/** What a grant proved: for whom, for which client, how far. */
export interface IssueRequest {
  readonly application: Application;
  readonly grantId: string;
  readonly subjectId: string;
  readonly subjectEpoch: number;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** Given while the session lives. */
  readonly sessionId?: string;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr?: string;
  readonly nonce?: string;
  /** User claims that the ID token carries beside those of the scopes. */
  readonly idTokenClaims: readonly string[];
}

/** @param scopes the granted ones or fewer */
export function issueRequestOf(
  application: Application,
  { userId, ...proven }: ProvenGrant,
  scopes: readonly string[],
): IssueRequest {
  return { ...proven, application, subjectId: userId, scopes };
}

export interface IssuedTokens {
  readonly accessToken: string;
  /** Seconds that the access token lives. */
  readonly expiresIn: number;
  /** Only with scope `openid`. */
  readonly idToken?: string;
}

/** What comes with an ID token, and is hashed into it. */
interface Companions {
  readonly accessToken?: string;
  readonly code?: string;
}

export interface FrontChannelTokens {
  readonly idToken: string;
  readonly accessToken?: string;
  /** Seconds that the access token lives; the ID token, where it comes alone. */
  readonly expiresIn: number;
}

/**
 * Mints access and ID tokens. Nothing is written: whatever must end a token later is named inside it.
 */
@Injectable()
export class IssueTokens {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly signJwt: SignJwt,
    private readonly tokens: TokensStore,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  async issue(request: IssueRequest): Promise<IssuedTokens> {
    const accessToken = await this.accessToken(request);
    const idToken = request.scopes.includes('openid')
      ? await this.idToken(request, { accessToken })
      : undefined;
    return {
      accessToken,
      expiresIn: this.lifetimes(request).accessTokenSeconds + request.application.clockSkewSeconds,
      ...(idToken === undefined ? {} : { idToken }),
    };
  }

  /**
   * Tokens for an authorization answer (OpenID Connect Core §3.2.2.5).
   *
   * @param beside whether an access token goes along, and the code that does
   */
  async issueInFront(
    request: IssueRequest,
    beside: { readonly accessToken: boolean; readonly code?: string },
  ): Promise<FrontChannelTokens> {
    const { accessTokenSeconds, idTokenSeconds } = this.lifetimes(request);
    const { clockSkewSeconds } = request.application;
    const coded = beside.code === undefined ? {} : { code: beside.code };
    if (!beside.accessToken) {
      return { idToken: await this.idToken(request, coded), expiresIn: idTokenSeconds + clockSkewSeconds };
    }
    const accessToken = await this.accessToken(request);
    const idToken = await this.idToken(request, { accessToken, ...coded });
    return { idToken, accessToken, expiresIn: accessTokenSeconds + clockSkewSeconds };
  }

  private lifetimes({ application }: IssueRequest): TokenLifetimes {
    return lifetimesOf(application, this.settings);
  }

  private async accessToken(request: IssueRequest): Promise<string> {
    const { application } = request;
    const now = this.clock.nowSeconds();
    const content: AccessTokenContent = {
      jti: makeTokenId({
        grantId: request.grantId,
        subjectEpoch: request.subjectEpoch,
        clientEpoch: application.tokenEpoch,
      }),
      subject: request.subjectId,
      clientId: application.clientId,
      ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
      scopes: request.scopes,
      audience: request.audience,
      issuedAt: now - application.clockSkewSeconds,
      expiresAt: now + this.lifetimes(request).accessTokenSeconds + application.clockSkewSeconds,
    };
    if (application.accessTokenType === 'opaque') {
      return sealOpaqueToken(await this.keyRing.currentTokenKey(), content);
    }
    const clientIds = await this.tokens.listClientIds(request.audience);
    return await this.signJwt.sign(() => ({
      iss: this.settings.issuer,
      sub: content.subject,
      aud: [...clientIds, ...content.audience],
      exp: content.expiresAt,
      iat: content.issuedAt,
      nbf: content.issuedAt,
      client_id: content.clientId,
      jti: content.jti,
      scope: content.scopes.join(' '),
      ...(content.sessionId === undefined ? {} : { sid: content.sessionId }),
    }));
  }

  private async idToken(request: IssueRequest, { accessToken, code }: Companions): Promise<string> {
    const { application } = request;
    const now = this.clock.nowSeconds();
    // where an access token comes with it, userinfo has the claims of the scopes, unless the application wants them here
    const carriesScopes = accessToken === undefined || application.idTokenUserinfoAssertion;
    const claims = await this.userClaims(request, carriesScopes ? request.scopes : []);
    return await this.signJwt.sign((algorithm) => ({
      ...claims,
      iss: this.settings.issuer,
      sub: request.subjectId,
      aud: [application.clientId],
      azp: application.clientId,
      exp: now + this.lifetimes(request).idTokenSeconds + application.clockSkewSeconds,
      iat: now - application.clockSkewSeconds,
      auth_time: request.authTime - application.clockSkewSeconds,
      amr: request.amr,
      ...(accessToken === undefined ? {} : { at_hash: leftHalfHash(algorithm, accessToken) }),
      ...(code === undefined ? {} : { c_hash: leftHalfHash(algorithm, code) }),
      ...(request.acr === undefined ? {} : { acr: request.acr }),
      ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
      // what a logout token will name (Back-Channel Logout §2.1); nobody else needs it
      ...(application.backChannelLogout && request.sessionId !== undefined ? { sid: request.sessionId } : {}),
    }));
  }

  private async userClaims(request: IssueRequest, scopes: readonly string[]): Promise<ClaimSet> {
    const { subjectId, idTokenClaims } = request;
    if (idTokenClaims.length === 0 && !scopes.some(hasUserClaims)) return {};
    const subject = await this.tokens.findSubject(subjectId);
    return subject === undefined ? {} : claimsOf(subject, scopes, idTokenClaims);
  }
}
