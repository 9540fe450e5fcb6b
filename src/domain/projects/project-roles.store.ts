import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What an application may call a user: the key stands in claims, the rest is for people. */
export interface ProjectRole {
  readonly key: string;
  readonly displayName: string;
  readonly group: string;
}

export interface StoredProjectRole extends ProjectRole {
  readonly details: ResourceDetails;
}

export interface ProjectRolePlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
}

export abstract class ProjectRolesStore {
  /** @throws ApiError already-exists for the key, not-found for the project */
  abstract add(tx: Tx, place: ProjectRolePlace, role: ProjectRole): Promise<ResourceDetails>;

  abstract list(place: ProjectRolePlace, query: PageQuery): Promise<Page<StoredProjectRole>>;

  /** Display name and group; undefined when the project has no such role. */
  abstract replace(tx: Tx, place: ProjectRolePlace, role: ProjectRole): Promise<ResourceDetails | undefined>;

  /** Takes the role from everybody who holds it, too. Undefined when the project has no such role. */
  abstract remove(tx: Tx, place: ProjectRolePlace, key: string): Promise<ResourceDetails | undefined>;
}
