import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { ProjectGrantsStore } from '../project-grants/project-grants.store.js';
import { RoleAssignmentsStore } from '../role-assignments/role-assignments.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** A project's own checks of whose users its applications may have: at a sign-in, and at an exchange of somebody else's token. */
@Injectable()
export class ProjectChecks {
  constructor(
    private readonly roleAssignments: RoleAssignmentsStore,
    private readonly projectGrants: ProjectGrantsStore,
  ) {}

  /** Why the application may not have this user; undefined when it may. @param tx of the sign-in, if it has one */
  async problem(
    tx: Tx | undefined,
    { project, orgId, projectId }: Application,
    user: { readonly userId: UserId; readonly orgId: OrgId },
  ): Promise<string | undefined> {
    const hasProject =
      !project.requiresProject ||
      orgId === user.orgId ||
      (await this.projectGrants.isGranted(tx, projectId, user.orgId));
    if (!hasProject) return 'the project is not for the organization of the user';
    const hasRole =
      !project.requiresRole || (await this.roleAssignments.holdsRole(tx, user.userId, projectId));
    return hasRole ? undefined : 'the user holds no role of the project';
  }
}
