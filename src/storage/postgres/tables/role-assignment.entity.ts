import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type {
  OrgId,
  ProjectGrantId,
  ProjectId,
  RoleAssignmentId,
  UserId,
} from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { ProjectGrantEntity, ProjectGrantRoleEntity } from './project-grant.entity.js';
import { ProjectRoleEntity } from './project-role.entity.js';
import { ProjectEntity } from './project.entity.js';
import { UserEntity } from './user.entity.js';

/**
 * Roles of a project that a user has. The user belongs to the organization that assigns them, and so does the project, unless it was
 * granted to that organization.
 */
@Entity('role_assignments')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'role_assignments_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ProjectEntity, ['projectOrgId', 'projectId'], ['orgId', 'id'], {
  name: 'role_assignments_project',
  onDelete: 'CASCADE',
})
@ForeignKey(
  () => ProjectGrantEntity,
  ['orgId', 'projectId', 'projectGrantId'],
  ['grantedOrgId', 'projectId', 'id'],
  { name: 'role_assignments_project_grant', onDelete: 'CASCADE' },
)
@Unique('role_assignments_once', ['userId', 'projectId'])
@Unique('role_assignments_of_project', ['projectId', 'id'])
@Unique('role_assignments_rest', ['projectId', 'id', 'restsOn'])
@Check('role_assignments_own_or_granted', '(project_org_id = org_id) = (project_grant_id IS NULL)')
@Check('role_assignments_rests_on', "rests_on = coalesce(project_grant_id, '')")
@Index('role_assignments_by_project_grant', ['projectGrantId'], { where: 'project_grant_id IS NOT NULL' })
@Index('role_assignments_by_project', ['orgId', 'projectId', 'createdAt', 'id'])
@Check('role_assignments_state', "state IN ('active', 'inactive')")
export class RoleAssignmentEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'role_assignments_pkey', default: () => 'new_id()' })
  id!: RoleAssignmentId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text', { default: 'active' })
  state!: ActivityState;

  @Column('text', { name: 'project_org_id' })
  projectOrgId!: OrgId;

  /** For a project of another organization. */
  @Column('text', { name: 'project_grant_id', nullable: true })
  projectGrantId!: ProjectGrantId | null;

  /** `projectGrantId`, empty instead of null, for foreign keys. */
  @Column('text', { name: 'rests_on', default: '' })
  restsOn!: string;
}

/** One role of an assignment; deleted with the role of the project. */
@Entity('role_assignment_roles')
@ForeignKey(
  () => RoleAssignmentEntity,
  ['projectId', 'roleAssignmentId', 'restsOn'],
  ['projectId', 'id', 'restsOn'],
  {
    name: 'role_assignment_roles_assignment',
    onDelete: 'CASCADE',
  },
)
@ForeignKey(() => ProjectGrantRoleEntity, ['projectGrantId', 'roleKey'], ['projectGrantId', 'roleKey'], {
  name: 'role_assignment_roles_granted',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ProjectRoleEntity, ['projectId', 'roleKey'], ['projectId', 'key'], {
  name: 'role_assignment_roles_role',
  onDelete: 'CASCADE',
})
@Index('role_assignment_roles_by_role', ['projectId', 'roleKey'])
@Index('role_assignment_roles_by_project_grant', ['projectGrantId', 'roleKey'], {
  where: 'project_grant_id IS NOT NULL',
})
@Check('role_assignment_roles_rests_on', "rests_on = coalesce(project_grant_id, '')")
export class RoleAssignmentRoleEntity {
  @PrimaryColumn('text', {
    name: 'role_assignment_id',
    primaryKeyConstraintName: 'role_assignment_roles_pkey',
  })
  roleAssignmentId!: RoleAssignmentId;

  @Column('text', { name: 'project_id' })
  projectId!: ProjectId;

  @PrimaryColumn('text', { name: 'role_key', primaryKeyConstraintName: 'role_assignment_roles_pkey' })
  roleKey!: string;
  @Column('text', { name: 'project_grant_id', nullable: true })
  projectGrantId!: ProjectGrantId | null;

  @Column('text', { name: 'rests_on', default: '' })
  restsOn!: string;
}
