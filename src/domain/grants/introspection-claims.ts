import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { NEVER } from '../service-users/expiry.js';
import type { LiveToken } from '../tokens/check-access-token.js';
import { RoleAndMetadataClaims } from '../tokens/role-and-metadata-claims.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { claimsOfScopes, type ClaimSet } from '../tokens/user-claims.js';

/** What an answer about a token depends on. */
type Introspected = Omit<LiveToken, 'userinfoClaims' | 'audience'>;

/** What introspection tells of a live token (RFC 7662 §2.2, protocol §8.5). */
@Injectable()
export class IntrospectionClaims {
  constructor(
    private readonly roleAndMetadataClaims: RoleAndMetadataClaims,
    private readonly settings: TokenSettings,
  ) {}

  /** @param audience as the asking application may hear it */
  async of(live: Introspected, application: Application, audience: readonly string[]): Promise<ClaimSet> {
    return { ...(await this.rolesAndMetadata(live, application)), ...this.describe(live, audience) };
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

  private describe(live: Introspected, audience: readonly string[]): ClaimSet {
    const { kind, subject, scopes, issuedAt, jti, actor, jkt, context } = live;
    // a personal access token was issued to its own user, and without an end to the last moment that can be written
    const clientId = kind === 'pat' ? subject.userName : live.clientId;
    const expiresAt = live.expiresAt ?? (kind === 'pat' ? NEVER.getTime() / 1000 : undefined);
    return {
      active: true,
      scope: scopes.join(' '),
      ...(clientId === undefined ? {} : { client_id: clientId }),
      username: subject.loginName,
      token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      ...(expiresAt === undefined ? {} : { exp: expiresAt }),
      ...(issuedAt === undefined ? {} : { iat: issuedAt, nbf: issuedAt }),
      sub: subject.id,
      aud: audience,
      iss: this.settings.issuer,
      jti,
      ...(context?.authTime === undefined ? {} : { auth_time: context.authTime }),
      ...(context?.amr === undefined ? {} : { amr: context.amr }),
      ...(context?.acr === undefined ? {} : { acr: context.acr }),
      ...(actor === undefined ? {} : { act: actor }),
      // RFC 9449 §6.2
      ...(jkt === undefined ? {} : { cnf: { jkt } }),
      ...claimsOfScopes(subject, scopes),
    };
  }
}
