import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type { OrgId, ProjectGrantId, ProjectId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';
import { ProjectRoleEntity } from './project-role.entity.js';
import { ProjectEntity } from './project.entity.js';

/** A project granted to another organization, which may use it as audience and assign some of its roles to own users. */
@Entity('project_grants')
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], {
  name: 'project_grants_project',
  onDelete: 'CASCADE',
})
@ForeignKey(() => OrganizationEntity, ['grantedOrgId'], ['id'], { name: 'project_grants_granted_org' })
@Unique('project_grants_once', ['projectId', 'grantedOrgId'])
@Unique('project_grants_of_project', ['projectId', 'id'])
@Unique('project_grants_to_org', ['grantedOrgId', 'projectId', 'id'])
@Check('project_grants_to_another', 'granted_org_id <> org_id')
@Check('project_grants_state', "state IN ('active', 'inactive')")
@Index('project_grants_by_org', ['orgId'])
export class ProjectGrantEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'project_grants_pkey', default: () => 'new_id()' })
  id!: ProjectGrantId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text', { name: 'granted_org_id' })
  grantedOrgId!: OrgId;

  @Column('text', { default: 'active' })
  state!: ActivityState;
}

/** A role that the other organization may assign. */
@Entity('project_grant_roles')
@ForeignKey(() => ProjectGrantEntity, ['projectId', 'projectGrantId'], ['projectId', 'id'], {
  name: 'project_grant_roles_grant',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ProjectRoleEntity, ['projectId', 'roleKey'], ['projectId', 'key'], {
  name: 'project_grant_roles_role',
  onDelete: 'CASCADE',
})
@Index('project_grant_roles_by_role', ['projectId', 'roleKey'])
export class ProjectGrantRoleEntity {
  @PrimaryColumn('text', { name: 'project_grant_id', primaryKeyConstraintName: 'project_grant_roles_pkey' })
  projectGrantId!: ProjectGrantId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @PrimaryColumn('text', { name: 'role_key', primaryKeyConstraintName: 'project_grant_roles_pkey' })
  roleKey!: string;
}
