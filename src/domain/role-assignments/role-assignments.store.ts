import type { ActivityState } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectGrantId, ProjectId, RoleAssignmentId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * That a user holds roles of a project. The user is of the organization that gives them; so is the project, unless it
 * was granted to that organization.
 */
export interface RoleAssignment {
  readonly id: RoleAssignmentId;
  readonly userId: UserId;
  readonly projectId: ProjectId;
  readonly projectName: string;
  /** For a project of another organization. */
  readonly projectGrantId?: ProjectGrantId;
  readonly state: ActivityState;
  readonly roleKeys: readonly string[];
  readonly details: ResourceDetails;
}

/** The same in the list of a project, with who holds the roles. */
export interface HeldRoleAssignment extends RoleAssignment {
  readonly loginName: string;
  readonly displayName: string;
  readonly userType: 'human' | 'machine';
}

export interface RoleAssignmentPlace {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly id: RoleAssignmentId;
}

export interface NewRoleAssignment {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly projectId: ProjectId;
  /** For a project of another organization: the grant that lets it be given. */
  readonly projectGrantId?: ProjectGrantId | undefined;
  readonly roleKeys: readonly string[];
}

export type AddedRoleAssignment = Pick<RoleAssignment, 'id' | 'details'>;

/** Roles of projects that users hold; roles of the service itself are in `MembersStore`. */
export abstract class RoleAssignmentsStore {
  /**
   * One statement that waits for a concurrent insert of the same; the transaction stays usable whatever the result.
   *
   * @returns undefined where the user has roles of the project already
   * @throws ApiError not-found for user, project or project grant, invalid-argument for a role that the project does not
   *   have, or that is not granted
   */
  abstract add(tx: Tx, assignment: NewRoleAssignment): Promise<AddedRoleAssignment | undefined>;

  abstract find(place: RoleAssignmentPlace): Promise<RoleAssignment | undefined>;

  abstract list(orgId: OrgId, userId: UserId, query: PageQuery): Promise<Page<RoleAssignment>>;

  /**
   * Those that the organization gave to its own users, also by a project grant that is deactivated: never those of another
   * organization, even where the project is its own.
   *
   * @returns undefined for a project that the organization neither owns nor was granted
   */
  abstract listOfProject(
    orgId: OrgId,
    projectId: ProjectId,
    query: PageQuery,
  ): Promise<Page<HeldRoleAssignment> | undefined>;

  /** What the user holds of the project, locked until the transaction ends. */
  abstract lockOfProject(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    projectId: ProjectId,
  ): Promise<Pick<RoleAssignment, 'id' | 'roleKeys'> | undefined>;

  /** @throws ApiError invalid-argument as `add` */
  abstract replaceRoles(
    tx: Tx,
    place: RoleAssignmentPlace,
    roleKeys: readonly string[],
  ): Promise<ResourceDetails | undefined>;

  /** Into `state` from the other one; undefined when it was not in that. */
  abstract setState(
    tx: Tx,
    place: RoleAssignmentPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined>;

  abstract remove(tx: Tx, place: RoleAssignmentPlace): Promise<ResourceDetails | undefined>;

  /** Whether the user holds any role of the project right now. */
  abstract holdsRole(tx: Tx | undefined, userId: UserId, projectId: ProjectId): Promise<boolean>;
}
