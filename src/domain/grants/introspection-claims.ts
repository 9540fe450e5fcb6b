import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { claimOf, tokenTypeOf } from '../authorizations/confirmation.js';
import { NEVER } from '../shared/expiry.js';
import type { LiveToken } from '../tokens/access-token/check-access-token.js';
import { PairwiseSubjects } from '../tokens/claims/pairwise-subjects.js';
import { RoleAndMetadataClaims } from '../tokens/claims/role-and-metadata-claims.js';
import { claimsOfScopes, type ClaimSet } from '../tokens/claims/user-claims.js';
import { TokenSettings } from '../tokens/token-settings.js';

/** What an answer about a token depends on. */
type Introspected = Omit<LiveToken, 'userinfoClaims' | 'audience'>;

/** The claims of an introspection response for an active token (RFC 7662 §2.2, protocol §8.5). */
@Injectable()
export class IntrospectionClaims {
  constructor(
    private readonly roleAndMetadataClaims: RoleAndMetadataClaims,
    private readonly names: PairwiseSubjects,
    private readonly settings: TokenSettings,
  ) {}

  /** @param audience the part that the calling application may see */
  async of(live: Introspected, application: Application, audience: readonly string[]): Promise<ClaimSet> {
    return {
      ...(await this.rolesAndMetadata(live, application)),
      ...this.describe(live, application, audience),
    };
  }

  /** Roles of the asking client's project and no other; a personal access token asks for nothing, and has them all. */
  private async rolesAndMetadata(
    { kind, subject, scopes }: Introspected,
    { projectId, project }: Application,
  ): Promise<ClaimSet> {
    return await this.roleAndMetadataClaims.of({
      userId: subject.id,
      scopes,
      audience: [projectId],
      ownProjectId: projectId,
      assertsRoles: project.assertsRoles || kind === 'pat',
      include: { roles: true, organization: true, metadata: true },
    });
  }

  /**
   * An application with pairwise subjects gets its own subjects, whoever the token was issued to. Others get those of the token's
   * client, as in a JWT: the caller must not be able to correlate that client's users.
   */
  private describe(live: Introspected, application: Application, audience: readonly string[]): ClaimSet {
    const recipient = application.pairwiseSector == null ? live : application;
    const { kind, subject, scopes, issuedAt, jti, actor, confirmation, context } = live;
    // a personal access token was issued to its own user, and without an end to the last moment that can be written
    const clientId = kind === 'pat' ? subject.userName : live.clientId;
    const expiresAt = live.expiresAt ?? (kind === 'pat' ? NEVER.getTime() / 1000 : undefined);
    return {
      active: true,
      scope: scopes.join(' '),
      ...(clientId === undefined ? {} : { client_id: clientId }),
      // `username` would reveal what a pairwise subject hides; scope profile asks for it
      ...(recipient.pairwiseSector == null || scopes.includes('profile')
        ? { username: subject.loginName }
        : {}),
      token_type: tokenTypeOf(confirmation),
      ...(expiresAt === undefined ? {} : { exp: expiresAt }),
      ...(issuedAt === undefined ? {} : { iat: issuedAt, nbf: issuedAt }),
      sub: this.names.subjectFor(recipient, subject.id),
      aud: audience,
      iss: this.settings.issuer,
      jti,
      ...(context?.authTime === undefined ? {} : { auth_time: context.authTime }),
      ...(context?.amr === undefined ? {} : { amr: context.amr }),
      ...(context?.acr === undefined ? {} : { acr: context.acr }),
      ...(actor === undefined ? {} : { act: this.names.actorFor(recipient, actor) }),
      // RFC 9449 §6.2, RFC 8705 §3.2
      ...(confirmation === undefined ? {} : { cnf: claimOf(confirmation) }),
      ...claimsOfScopes(subject, scopes),
    };
  }
}
