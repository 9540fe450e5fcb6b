import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import type { Actor } from '../authorizations/actor.js';
import type { VerifiedAuthorization } from '../authorizations/authorizations.store.js';
import { Clock } from '../shared/clock.js';
import { KeyRing } from '../signing-keys/key-ring.js';
import { Counters } from '../statistics/counters.js';
import type { AccessTokenContent } from './access-token.js';
import { sealOpaqueToken } from './opaque-token.js';
import { scopesWithin } from './project-audience.js';
import { RoleAndMetadataClaims } from './role-and-metadata-claims.js';
import { SignJwt } from './sign-jwt.js';
import type { TokenClient } from './token-client.js';
import { leftHalfHash } from './token-hash.js';
import { makeTokenId } from './token-id.js';
import { lifetimesOf, type TokenLifetimes } from './token-lifetimes.js';
import { TokenSettings } from './token-settings.js';
import { TokensStore } from './tokens.store.js';
import { claimsOf, hasUserClaims, type ClaimSet } from './user-claims.js';

/** What was authorized: for whom, for which client, how far. */
export interface IssueRequest {
  readonly client: TokenClient;
  /** Null when a service user acts for itself: there is no grant then that could be ended. */
  readonly authorizationId: string | null;
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
  /** Who acts for the subject. */
  readonly actor?: Actor;
}

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
  };
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
 * Mints access and ID tokens. Nothing is written: whatever must end a token later is named inside it. That one was issued is
 * counted in memory.
 */
@Injectable()
export class IssueTokens {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly signJwt: SignJwt,
    private readonly tokens: TokensStore,
    private readonly roleAndMetadataClaims: RoleAndMetadataClaims,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
    private readonly counters: Counters,
  ) {}

  /** @param options whether an ID token goes along where scope `openid` asks for it */
  async issue(request: IssueRequest, options: { readonly idToken: boolean }): Promise<IssuedTokens> {
    const accessToken = await this.accessToken(request);
    const idToken =
      options.idToken && request.scopes.includes('openid')
        ? await this.idToken(request, { accessToken })
        : undefined;
    this.count(request);
    return {
      accessToken,
      expiresIn: this.lifetimes(request).accessTokenSeconds + request.client.clockSkewSeconds,
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
    const { clockSkewSeconds } = request.client;
    const coded = beside.code === undefined ? {} : { code: beside.code };
    if (!beside.accessToken) {
      const idToken = await this.idToken(request, coded);
      this.count(request);
      return { idToken, expiresIn: idTokenSeconds + clockSkewSeconds };
    }
    const accessToken = await this.accessToken(request);
    const idToken = await this.idToken(request, { accessToken, ...coded });
    this.count(request);
    return { idToken, accessToken, expiresIn: accessTokenSeconds + clockSkewSeconds };
  }

  private count({ client }: IssueRequest): void {
    this.counters.add(client.orgId, 'tokensIssued');
  }

  private lifetimes({ client }: IssueRequest): TokenLifetimes {
    return lifetimesOf(client, this.settings);
  }

  private async accessToken(request: IssueRequest): Promise<string> {
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
      issuedAt: now - client.clockSkewSeconds,
      expiresAt: now + this.lifetimes(request).accessTokenSeconds + client.clockSkewSeconds,
    };
    if (client.accessTokenType === 'opaque') {
      return sealOpaqueToken(await this.keyRing.currentTokenKey(), content);
    }
    const audience = await this.jwtAudience(request);
    const rolesAndMetadata = await this.rolesAndMetadata(request, {
      roles: client.accessTokenRoleAssertion,
      organization: false,
    });
    return await this.signJwt.sign(() => ({
      ...rolesAndMetadata,
      iss: this.settings.issuer,
      sub: content.subject,
      aud: audience,
      exp: content.expiresAt,
      iat: content.issuedAt,
      nbf: content.issuedAt,
      client_id: content.clientId,
      jti: content.jti,
      scope: content.scopes.join(' '),
      ...(content.sessionId === undefined ? {} : { sid: content.sessionId }),
      ...(content.actor === undefined ? {} : { act: content.actor }),
      ...howAuthenticated(request),
    }));
  }

  /** A service user names whom it talks to, project by project; without any the token is for itself (protocol §7.2). */
  private async jwtAudience({ client, authorizationId, audience }: IssueRequest): Promise<readonly string[]> {
    if (authorizationId === null) return audience.length === 0 ? [client.clientId] : audience;
    // an exchange may have named some clients itself
    return [...new Set([...(await this.tokens.listClientIds(audience)), ...audience])];
  }

  private async idToken(request: IssueRequest, { accessToken, code }: Companions): Promise<string> {
    const { client } = request;
    const now = this.clock.nowSeconds();
    // where an access token comes with it, userinfo has the claims of the scopes, unless the application wants them here
    const carriesScopes = accessToken === undefined || client.idTokenUserinfoAssertion === true;
    const claims = await this.userClaims(request, carriesScopes ? request.scopes : []);
    const rolesAndMetadata = await this.rolesAndMetadata(request, {
      roles: client.idTokenRoleAssertion,
      organization: true,
    });
    return await this.signJwt.sign(
      (algorithm) => ({
        ...claims,
        ...rolesAndMetadata,
        iss: this.settings.issuer,
        sub: request.subjectId,
        aud: [client.clientId],
        azp: client.clientId,
        // by this a token exchange knows whether what the ID token came from has ended
        jti: tokenIdFor(request),
        exp: now + this.lifetimes(request).idTokenSeconds + client.clockSkewSeconds,
        iat: now - client.clockSkewSeconds,
        auth_time: request.authTime - client.clockSkewSeconds,
        // a signed assertion is none of the methods that amr has names for (RFC 8176)
        ...(request.amr.length === 0 ? {} : { amr: request.amr }),
        ...(accessToken === undefined ? {} : { at_hash: leftHalfHash(algorithm, accessToken) }),
        ...(code === undefined ? {} : { c_hash: leftHalfHash(algorithm, code) }),
        ...(request.acr === undefined ? {} : { acr: request.acr }),
        ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
        // what a logout token will name (Back-Channel Logout §2.1); nobody else needs it
        ...(client.backChannelLogout && request.sessionId !== undefined ? { sid: request.sessionId } : {}),
        ...(request.actor === undefined ? {} : { act: request.actor }),
      }),
      'JWT',
      client.idTokenAlgorithm ?? undefined,
    );
  }

  private async rolesAndMetadata(
    { client, subjectId, scopes, audience }: IssueRequest,
    include: { readonly roles: boolean; readonly organization: boolean },
  ): Promise<ClaimSet> {
    return await this.roleAndMetadataClaims.of({
      userId: subjectId,
      scopes,
      audience,
      ownProjectId: client.projectId,
      assertsRoles: client.project?.assertsRoles ?? false,
      include,
    });
  }

  private async userClaims(request: IssueRequest, scopes: readonly string[]): Promise<ClaimSet> {
    const { subjectId, idTokenClaims } = request;
    if (idTokenClaims.length === 0 && !scopes.some(hasUserClaims)) return {};
    const subject = await this.tokens.findSubject(subjectId);
    return subject === undefined ? {} : claimsOf(subject, scopes, idTokenClaims);
  }
}

/** RFC 9068 §2.2.1; of a person alone, whom an application may send to show more (RFC 9470). */
function howAuthenticated({ authorizationId, client, authTime, amr, acr }: IssueRequest): ClaimSet {
  if (authorizationId === null) return {};
  return {
    auth_time: authTime - client.clockSkewSeconds,
    ...(amr.length === 0 ? {} : { amr }),
    ...(acr === undefined ? {} : { acr }),
  };
}

function tokenIdFor({ authorizationId, subjectEpoch, client }: IssueRequest): string {
  return makeTokenId({ authorizationId, subjectEpoch, clientEpoch: client.tokenEpoch });
}
