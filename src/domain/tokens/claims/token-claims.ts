import { Injectable } from '@nestjs/common';
import { claimOf, type Confirmation } from '../../authorizations/confirmation.js';
import { Clock } from '../../shared/clock.js';
import type { IssueRequest } from '../issue-request.js';
import { makeTokenId } from '../token-id.js';
import { lifetimesOf } from '../token-lifetimes.js';
import { TokenSettings } from '../token-settings.js';
import { TokensStore } from '../tokens.store.js';
import { PairwiseSubjects } from './pairwise-subjects.js';
import { RoleAndMetadataClaims } from './role-and-metadata-claims.js';
import { claimsOf, hasUserClaims, type ClaimSet } from './user-claims.js';

/**
 * What a JWT access token and an ID token say, before anybody signs it. Tokens are issued from this, and an administrator is
 * shown a preview of the same.
 */
@Injectable()
export class TokenClaims {
  constructor(
    private readonly tokens: TokensStore,
    private readonly roleAndMetadataClaims: RoleAndMetadataClaims,
    private readonly names: PairwiseSubjects,
    private readonly clock: Clock,
    private readonly settings: TokenSettings,
  ) {}

  /** Of an access token (RFC 9068 §2.2, RFC 9449 §6.1, RFC 8705 §3.1). */
  async ofAccessToken(request: IssueRequest): Promise<ClaimSet> {
    const { client, sessionId, actor, confirmation } = request;
    const now = this.clock.nowSeconds();
    const issuedAt = now - client.clockSkewSeconds;
    const audience = await this.jwtAudience(request);
    const rolesAndMetadata = await this.rolesAndMetadata(request, {
      roles: client.accessTokenRoleAssertion,
      organization: false,
    });
    return {
      ...rolesAndMetadata,
      iss: this.settings.issuer,
      sub: this.names.subjectFor(client, request.subjectId),
      aud: audience,
      exp: now + lifetimesOf(client, this.settings).accessTokenSeconds + client.clockSkewSeconds,
      iat: issuedAt,
      nbf: issuedAt,
      client_id: client.clientId,
      jti: tokenIdFor(request),
      scope: request.scopes.join(' '),
      ...(sessionId === undefined ? {} : { sid: this.names.sessionFor(client, sessionId) }),
      ...(actor === undefined ? {} : { act: this.names.actorFor(client, actor) }),
      ...(confirmation === undefined ? {} : { cnf: claimOf(confirmation) }),
      ...howAuthenticated(request),
    };
  }

  /** Of an ID token (OpenID Connect Core §2), without the hashes of what comes with it. */
  async ofIdToken(request: IssueRequest, withAccessToken: boolean): Promise<ClaimSet> {
    const { client } = request;
    const now = this.clock.nowSeconds();
    // where an access token comes with it, userinfo has the claims of the scopes, unless the application wants them here
    const carriesScopes = !withAccessToken || client.idTokenUserinfoAssertion === true;
    const claims = await this.userClaims(request, carriesScopes ? request.scopes : []);
    const rolesAndMetadata = await this.rolesAndMetadata(request, {
      roles: client.idTokenRoleAssertion,
      organization: true,
    });
    return {
      ...claims,
      ...rolesAndMetadata,
      iss: this.settings.issuer,
      sub: this.names.subjectFor(client, request.subjectId),
      aud: [client.clientId],
      azp: client.clientId,
      // by this a token exchange knows whether what the ID token came from has ended, and what it is bound to
      jti: tokenIdFor(request, request.confirmation),
      exp: now + lifetimesOf(client, this.settings).idTokenSeconds + client.clockSkewSeconds,
      iat: now - client.clockSkewSeconds,
      auth_time: request.authTime - client.clockSkewSeconds,
      // a signed assertion is none of the methods that amr has names for (RFC 8176)
      ...(request.amr.length === 0 ? {} : { amr: request.amr }),
      ...(request.acr === undefined ? {} : { acr: request.acr }),
      ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
      // what a logout will name (Back-Channel Logout §2.1, Front-Channel Logout §3); nobody else needs it
      ...(hearsOfLogouts(client) && request.sessionId !== undefined
        ? { sid: this.names.sessionFor(client, request.sessionId) }
        : {}),
      ...(request.actor === undefined ? {} : { act: this.names.actorFor(client, request.actor) }),
    };
  }

  /** A service user names whom it talks to, project by project; without any the token is for itself (protocol §7.2). */
  async jwtAudience({ client, authorizationId, audience }: IssueRequest): Promise<readonly string[]> {
    if (authorizationId === null) return audience.length === 0 ? [client.clientId] : audience;
    // an exchange may have named some clients itself
    return [...new Set([...(await this.tokens.listClientIds(audience)), ...audience])];
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

function hearsOfLogouts({ backChannelLogout, frontChannelLogout = false }: IssueRequest['client']): boolean {
  return backChannelLogout || frontChannelLogout;
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

/** @param confirmation of an ID token */
export function tokenIdFor(
  { authorizationId, subjectEpoch, client }: IssueRequest,
  confirmation?: Confirmation,
): string {
  const pairwise = client.pairwiseSector != null;
  const bound = confirmation !== undefined && { confirmation };
  return makeTokenId({ authorizationId, subjectEpoch, clientEpoch: client.tokenEpoch, pairwise, ...bound });
}
