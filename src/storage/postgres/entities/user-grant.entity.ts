import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { ProjectRoleEntity } from './project-role.entity.js';
import { ProjectEntity } from './project.entity.js';
import { UserEntity } from './user.entity.js';

/** That a user holds roles of a project. Both belong to the organization that gives them. */
@Entity('user_grants')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_grants_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], {
  name: 'user_grants_project',
  onDelete: 'CASCADE',
})
@Unique('user_grants_once', ['userId', 'projectId'])
@Unique('user_grants_of_project', ['projectId', 'id'])
@Check('user_grants_state', "state IN ('active', 'inactive')")
export class UserGrantEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_grants_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'project_id' })
  projectId!: string;

  @Column('text', { default: 'active' })
  state!: string;

  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}

/** One role of a grant; a role that its project gives up goes from here by itself. */
@Entity('user_grant_roles')
@ForeignKey(() => UserGrantEntity, ['projectId', 'grantId'], ['projectId', 'id'], {
  name: 'user_grant_roles_grant',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ProjectRoleEntity, ['projectId', 'roleKey'], ['projectId', 'key'], {
  name: 'user_grant_roles_role',
  onDelete: 'CASCADE',
})
@Index('user_grant_roles_by_role', ['projectId', 'roleKey'])
export class UserGrantRoleEntity {
  @PrimaryColumn('text', { name: 'grant_id', primaryKeyConstraintName: 'user_grant_roles_pkey' })
  grantId!: string;

  @Column('text', { name: 'project_id' })
  projectId!: string;

  @PrimaryColumn('text', { name: 'role_key', primaryKeyConstraintName: 'user_grant_roles_pkey' })
  roleKey!: string;
}
