import type { ActivityState } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectGrantId, ProjectId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/** That another organization may use a project, and which of its roles it may give to its own users. */
export interface ProjectGrant {
  readonly id: ProjectGrantId;
  readonly projectId: ProjectId;
  readonly projectName: string;
  /** The owner's; the details name it, too. */
  readonly orgId: OrgId;
  readonly orgName: string;
  readonly grantedOrgId: OrgId;
  readonly grantedOrgName: string;
  /** Inactive, it allows nothing; roles that rest on it are kept. */
  readonly state: ActivityState;
  readonly roleKeys: readonly string[];
  readonly details: ResourceDetails;
}

export interface ProjectGrantPlace {
  /** The owner of the project. */
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly id: ProjectGrantId;
}

export interface NewProjectGrant {
  readonly id?: ProjectGrantId | undefined;
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly grantedOrgId: OrgId;
  readonly roleKeys: readonly string[];
}

/** Grants of projects to other organizations, and what ends with them there. */
export abstract class ProjectGrantsStore {
  /**
   * @throws ApiError not-found for the project or the other organization, already-exists where that organization has a
   *   grant of the project, invalid-argument for a role that the project does not have
   */
  abstract add(
    tx: Tx,
    grant: NewProjectGrant,
  ): Promise<{ readonly id: ProjectGrantId; readonly details: ResourceDetails }>;

  abstract find(place: ProjectGrantPlace): Promise<ProjectGrant | undefined>;

  abstract list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ProjectGrant>>;

  /** Those that an organization was given, by organizations that are active. */
  abstract listGranted(orgId: OrgId, query: PageQuery): Promise<Page<ProjectGrant>>;

  /** Into `state` from the other one; undefined when it was not in that. */
  abstract setState(
    tx: Tx,
    place: ProjectGrantPlace,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined>;

  /** Whether the organization may use the project that another one owns: by a grant that is active. */
  abstract isGranted(tx: Tx | undefined, projectId: ProjectId, grantedOrgId: OrgId): Promise<boolean>;

  /**
   * A role that goes is taken from the other organization's users with it, and an event says so for each grant.
   * @throws ApiError invalid-argument as `add`
   */
  abstract replaceRoles(
    tx: Tx,
    place: ProjectGrantPlace,
    roleKeys: readonly string[],
    actorId: UserId,
  ): Promise<ResourceDetails | undefined>;

  /** With all roles that rest on it; an event says so for each grant of a user. */
  abstract remove(tx: Tx, place: ProjectGrantPlace, actorId: UserId): Promise<ResourceDetails | undefined>;
}
