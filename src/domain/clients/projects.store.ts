import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

export interface NewProject {
  readonly orgId: OrgId;
  readonly name: string;
  readonly projectRoleAssertion: boolean;
  readonly projectRoleCheck: boolean;
  readonly hasProjectCheck: boolean;
  readonly privateLabelingSetting: string;
}

export abstract class ProjectsStore {
  /** @throws ApiError already-exists when the organization has a project of that name */
  abstract add(tx: Tx, project: NewProject): Promise<{ id: ProjectId; details: ResourceDetails }>;

  abstract findIdByName(tx: Tx, orgId: OrgId, name: string): Promise<ProjectId | undefined>;

  /** Whether the organization owns an active project of this id. */
  abstract isActive(orgId: OrgId, projectId: ProjectId): Promise<boolean>;
}
