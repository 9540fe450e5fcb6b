import { Injectable } from '@nestjs/common';
import { ManageProjectGrants } from '../../project-grants/manage-project-grants.js';
import { ChangeProject } from '../../projects/change-project.js';
import { CreateProject } from '../../projects/create-project.js';
import { ProjectRoles } from '../../projects/project-roles.js';
import { ProjectsStore } from '../../projects/projects.store.js';
import type { OrgId, ProjectGrantId, ProjectId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { Added, Item, ItemPlace } from './item.js';

/** A project, its state, its roles, and its grants to other organizations. */
@Injectable()
export class AddProjectItem {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly createProject: CreateProject,
    private readonly changeProject: ChangeProject,
    private readonly roles: ProjectRoles,
    private readonly projectGrants: ManageProjectGrants,
  ) {}

  /** @throws ApiError as the use cases do */
  async execute(
    tx: Tx,
    { orgId, actorId }: ItemPlace,
    item: Item<'project' | 'project_state' | 'project_role' | 'project_grant'>,
  ): Promise<Added> {
    const projectId = item.projectId as ProjectId;
    switch (item.type) {
      case 'project':
        await this.createProject.execute(tx, { id: projectId, orgId, ...item.settings }, actorId);
        return 'added';
      case 'project_state':
        if ((await this.projects.find(orgId, projectId))?.state === 'inactive') return 'there';
        await this.changeProject.deactivate(tx, { orgId, projectId, actorId });
        return 'added';
      case 'project_role':
        await this.roles.add(tx, { orgId, projectId }, item.role, actorId);
        return 'added';
      case 'project_grant': {
        const granted = { grantedOrgId: item.grantedOrgId as OrgId, roleKeys: item.roleKeys };
        const at = { id: item.grantId as ProjectGrantId, orgId, projectId };
        await this.projectGrants.add(tx, { ...at, ...granted }, actorId);
        if (item.inactive === true) await this.projectGrants.deactivate(tx, at, actorId);
        return 'added';
      }
    }
  }
}
