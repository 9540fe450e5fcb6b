import { Injectable } from '@nestjs/common';
import type { ApplicationPlace } from '../applications/applications.store.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import { ProjectGrantsStore } from '../project-grants/project-grants.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Subject } from '../tokens/claims/user-claims.js';
import { TokensStore } from '../tokens/tokens.store.js';
import { userNotFound } from '../users/find-user.js';

/** Whose claims may be looked at. */
@Injectable()
export class PreviewedSubjects {
  constructor(
    private readonly tokens: TokensStore,
    private readonly grants: ProjectGrantsStore,
    private readonly roles: EffectiveRoles,
  ) {}

  /**
   * A user of another organization only where the project is granted to it and the caller may read its users. Otherwise
   * there is no such user, whether there is one or not.
   */
  async find(place: ApplicationPlace, userId: UserId, acting: Acting): Promise<Subject> {
    const subject = await this.tokens.findSubject(userId);
    if (subject === undefined) throw userNotFound();
    const orgId = subject.orgId as OrgId;
    if (orgId === place.orgId) return subject;
    if (!(await this.grants.isGranted(undefined, place.projectId, orgId))) throw userNotFound();
    const roles = (await this.roles.inOrganization(acting, orgId)) ?? [];
    if (!allows(roles, 'user.read')) throw userNotFound();
    return subject;
  }
}
