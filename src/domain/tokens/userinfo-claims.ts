import { Injectable } from '@nestjs/common';
import type { LiveToken } from './check-access-token.js';
import { RoleAndMetadataClaims } from './role-and-metadata-claims.js';
import { claimsOf, type ClaimSet } from './user-claims.js';

/** What userinfo depends on. */
type Asked = Pick<LiveToken, 'subject' | 'scopes' | 'userinfoClaims' | 'audience' | 'clientProject'>;

/** What the userinfo endpoint answers (OpenID Connect Core §5.3.2). */
@Injectable()
export class UserinfoClaims {
  constructor(private readonly roleAndMetadataClaims: RoleAndMetadataClaims) {}

  async of({ subject, scopes, userinfoClaims, audience, clientProject }: Asked): Promise<ClaimSet> {
    const rolesAndMetadata = await this.roleAndMetadataClaims.of({
      userId: subject.id,
      scopes,
      audience,
      ownProjectId: clientProject?.id,
      assertsRoles: clientProject?.assertsRoles ?? false,
      include: { roles: true, organization: true, metadata: true },
    });
    return {
      ...rolesAndMetadata,
      sub: subject.id,
      ...claimsOf(subject, scopes, scopes.includes('openid') ? userinfoClaims : []),
    };
  }
}
