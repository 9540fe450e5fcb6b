import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { signedBy } from '../applications/security-profile.js';
import type { VerifiedAuthorization } from '../authorizations/authorizations.store.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import { AskForClaims } from '../claims-webhook/ask-for-claims.js';
import { Counters } from '../statistics/counters.js';
import { MintAccessToken } from './access-token/mint-access-token.js';
import { scopesWithin } from './audience/project-audience.js';
import { TokenClaims } from './claims/token-claims.js';
import type { ClaimSet } from './claims/user-claims.js';
import type { IssueRequest } from './issue-request.js';
import { SignJwt } from './jwt/sign-jwt.js';
import { leftHalfHash } from './token-hash.js';
import { lifetimesOf, type TokenLifetimes } from './token-lifetimes.js';
import { TokenSettings } from './token-settings.js';

/** @param scopes the granted ones or fewer; without those whose project has left the audience */
export function issueRequestOf(
  application: Application,
  { userId, accessTokenType = application.accessTokenType, ...authorization }: VerifiedAuthorization,
  scopes: readonly string[],
): IssueRequest {
  return {
    ...authorization,
    client: { ...application, accessTokenType },
    subjectId: userId,
    scopes: scopesWithin(scopes, authorization.audience),
    audience: audienceOf(application, authorization.audience),
  };
}

/**
 * Tokens for a project are for all of its applications, but for those that registered themselves: a stranger could put thousands of
 * names into the tokens of the others. One of those is named by its own tokens.
 */
function audienceOf(
  { clientId, registration = null }: Application,
  audience: readonly string[],
): readonly string[] {
  return registration === null || audience.includes(clientId) ? audience : [...audience, clientId];
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

interface FrontChannelTokens {
  readonly idToken?: string;
  readonly accessToken?: string;
  /** Seconds that the access token lives; the ID token, where it comes without one. */
  readonly expiresIn: number;
}

/**
 * Mints access and ID tokens. Nothing is written: whatever must end a token later is named inside it. That one was issued is
 * counted in memory.
 */
@Injectable()
export class IssueTokens {
  constructor(
    private readonly mintAccessToken: MintAccessToken,
    private readonly signJwt: SignJwt,
    private readonly claims: TokenClaims,
    private readonly addedClaims: AskForClaims,
    private readonly settings: TokenSettings,
    private readonly counters: Counters,
  ) {}

  /** @param options whether an ID token goes along where scope `openid` asks for it */
  async issue(request: IssueRequest, options: { readonly idToken: boolean }): Promise<IssuedTokens> {
    const hasIdToken = options.idToken && request.scopes.includes('openid');
    const added = await this.added(request, { accessToken: true, idToken: hasIdToken });
    const accessToken = await this.mintAccessToken.execute(request, added);
    const idToken = hasIdToken ? await this.idToken(request, { accessToken }, added) : undefined;
    this.count(request);
    return {
      accessToken,
      expiresIn: this.lifetimes(request).accessTokenSeconds + request.client.clockSkewSeconds,
      ...(idToken === undefined ? {} : { idToken }),
    };
  }

  /**
   * Tokens for an authorization answer (OpenID Connect Core §3.2.2.5, §3.3.2.5).
   *
   * @param parts what the answer has, the code that goes along, and the key that the code is bound to: the ID token is exchanged by
   *   whoever has that key and by nobody else, as the code is redeemed
   */
  async issueInFront(
    request: IssueRequest,
    parts: {
      readonly accessToken: boolean;
      readonly idToken: boolean;
      readonly code?: string;
      readonly boundTo?: Confirmation;
    },
  ): Promise<FrontChannelTokens> {
    const { accessTokenSeconds, idTokenSeconds } = this.lifetimes(request);
    const { clockSkewSeconds } = request.client;
    const added = await this.added(request, { accessToken: parts.accessToken, idToken: parts.idToken });
    const accessToken = parts.accessToken ? await this.mintAccessToken.execute(request, added) : undefined;
    const companions = {
      ...(accessToken === undefined ? {} : { accessToken }),
      ...(parts.code === undefined ? {} : { code: parts.code }),
    };
    const bound = parts.boundTo === undefined ? request : { ...request, confirmation: parts.boundTo };
    const idToken = parts.idToken ? await this.idToken(bound, companions, added) : undefined;
    this.count(request);
    return {
      ...(idToken === undefined ? {} : { idToken }),
      ...(accessToken === undefined ? {} : { accessToken }),
      expiresIn: (parts.accessToken ? accessTokenSeconds : idTokenSeconds) + clockSkewSeconds,
    };
  }

  /** An ID token alone, with all claims of its scopes. */
  async issueIdToken(
    request: IssueRequest,
  ): Promise<{ readonly idToken: string; readonly expiresIn: number }> {
    const added = await this.added(request, { accessToken: false, idToken: true });
    const idToken = await this.idToken(request, {}, added);
    this.count(request);
    return { idToken, expiresIn: this.lifetimes(request).idTokenSeconds + request.client.clockSkewSeconds };
  }

  private count({ client }: IssueRequest): void {
    this.counters.add(client.orgId, 'tokensIssued');
  }

  private lifetimes({ client }: IssueRequest): TokenLifetimes {
    return lifetimesOf(client, this.settings);
  }

  /**
   * Claims of the webhook, called once for all tokens issued together. What is consumed by now stays so: a client
   * that is refused over it starts again, or repeats its refresh.
   */
  private async added(
    { client, subjectId, scopes }: IssueRequest,
    issued: { readonly accessToken: boolean; readonly idToken: boolean },
  ): Promise<ClaimSet> {
    if (client.claimsWebhook !== true) return {};
    const places = [
      // an opaque one says nothing of its own
      ...(issued.accessToken && client.accessTokenType === 'jwt' ? (['access_token'] as const) : []),
      ...(issued.idToken ? (['id_token'] as const) : []),
    ];
    if (places.length === 0) return {};
    const { orgId, clientId, projectId } = client;
    return await this.addedClaims.of(orgId, { userId: subjectId, clientId, projectId, scopes, for: places });
  }

  private async idToken(
    request: IssueRequest,
    { accessToken, code }: Companions,
    added: ClaimSet,
  ): Promise<string> {
    // a code becomes an access token, by which userinfo has the claims (OpenID Connect Core §5.4)
    const claims = await this.claims.ofIdToken(request, accessToken !== undefined || code !== undefined);
    return await this.signJwt.sign(
      (algorithm) => ({
        ...added,
        ...claims,
        ...(accessToken === undefined ? {} : { at_hash: leftHalfHash(algorithm, accessToken) }),
        ...(code === undefined ? {} : { c_hash: leftHalfHash(algorithm, code) }),
      }),
      'JWT',
      signedBy(request.client, request.client.idTokenAlgorithm),
    );
  }
}
