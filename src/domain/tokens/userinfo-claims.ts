import { Injectable } from '@nestjs/common';
import { AskForClaims } from '../claims-webhook/ask-for-claims.js';
import type { LiveToken } from './access-token/check-access-token.js';
import { PairwiseSubjects } from './claims/pairwise-subjects.js';
import { RoleAndMetadataClaims } from './claims/role-and-metadata-claims.js';
import { claimsOf, type ClaimSet } from './claims/user-claims.js';

/** What userinfo depends on. */
type Asked = Pick<
  LiveToken,
  | 'subject'
  | 'scopes'
  | 'userinfoClaims'
  | 'audience'
  | 'clientProject'
  | 'clientId'
  | 'claimsWebhookOf'
  | 'pairwiseSector'
>;

/** What the userinfo endpoint answers (OpenID Connect Core §5.3.2). */
@Injectable()
export class UserinfoClaims {
  constructor(
    private readonly roleAndMetadataClaims: RoleAndMetadataClaims,
    private readonly addedClaims: AskForClaims,
    private readonly names: PairwiseSubjects,
  ) {}

  /** @throws OAuthError temporarily_unavailable where the claims webhook decides so */
  async of(live: Asked): Promise<ClaimSet> {
    const { subject, scopes, userinfoClaims, audience, clientProject } = live;
    const rolesAndMetadata = await this.roleAndMetadataClaims.of({
      userId: subject.id,
      scopes,
      audience,
      ownProjectId: clientProject?.id,
      assertsRoles: clientProject?.assertsRoles ?? false,
      include: { roles: true, organization: true, metadata: true },
    });
    return {
      ...(await this.added(live)),
      ...rolesAndMetadata,
      sub: this.names.subjectFor(live, subject.id),
      ...claimsOf(subject, scopes, scopes.includes('openid') ? userinfoClaims : []),
    };
  }
  private async added({
    claimsWebhookOf,
    subject,
    clientId,
    clientProject,
    scopes,
  }: Asked): Promise<ClaimSet> {
    if (claimsWebhookOf === undefined) return {};
    const question = { userId: subject.id, clientId, projectId: clientProject?.id, scopes };
    return await this.addedClaims.of(claimsWebhookOf, { ...question, for: ['userinfo'] });
  }
}
