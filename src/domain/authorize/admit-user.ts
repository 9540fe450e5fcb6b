import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import type { OrganizationBranding } from '../organizations/organization-branding.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import { ProjectGrantsStore } from '../project-grants/project-grants.store.js';
import { RoleAssignmentsStore } from '../role-assignments/role-assignments.store.js';
import type { Session } from '../sessions/session.js';
import { OAuthError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { readReservedScopes } from '../tokens/reserved-scopes.js';

/** The one organization whose users may answer a request; without an id there is no such organization. */
export interface RequiredOrganization {
  readonly id: OrgId | undefined;
  /** Of the pages on which they sign in. */
  readonly branding?: OrganizationBranding;
}

/** Whether users of this organization may answer. */
export function isOfRequired(required: RequiredOrganization | undefined, orgId: OrgId): boolean {
  return required === undefined || required.id === orgId;
}

/** Who may sign in to what: the request's organization scope (protocol §6.2) and the project's own checks. */
@Injectable()
export class AdmitUser {
  constructor(
    private readonly orgs: OrganizationsStore,
    private readonly roleAssignments: RoleAssignmentsStore,
    private readonly projectGrants: ProjectGrantsStore,
  ) {}

  /** Undefined where users of any organization may answer. */
  async requiredOrganization(scopes: readonly string[]): Promise<RequiredOrganization | undefined> {
    const [asked] = readReservedScopes(scopes).organizations;
    if (asked === undefined) return undefined;
    return (await this.orgs.findAsked(asked)) ?? { id: undefined };
  }

  /** Why this user may not have an answer, or undefined when they may. @param tx of the sign-in, if it has one */
  async refusal(
    tx: Tx | undefined,
    { project, orgId, projectId }: Application,
    required: RequiredOrganization | undefined,
    session: Session,
  ): Promise<OAuthError | undefined> {
    if (!isOfRequired(required, session.orgId)) {
      return new OAuthError('access_denied', 'the user does not belong to the organization asked for');
    }
    const hasProject =
      !project.requiresProject ||
      orgId === session.orgId ||
      (await this.projectGrants.isGranted(tx, projectId, session.orgId));
    if (!hasProject) {
      return new OAuthError('access_denied', 'the project is not for the organization of the user');
    }
    if (project.requiresRole && !(await this.roleAssignments.holdsRole(tx, session.userId, projectId))) {
      return new OAuthError('access_denied', 'the user holds no role of the project');
    }
    return undefined;
  }
}
