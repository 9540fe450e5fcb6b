import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { ProjectEntity } from './project.entity.js';

/** A role of a project; what it allows is decided by the applications. */
@Entity('project_roles')
@ForeignKey(() => ProjectEntity, ['orgId', 'projectId'], ['orgId', 'id'], {
  name: 'project_roles_project',
  onDelete: 'CASCADE',
})
@Check('project_roles_key', `key ~ '^[!#-[\\]-~]{1,200}$'`)
export class ProjectRoleEntity extends CountedChanges {
  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @PrimaryColumn('text', { name: 'project_id', primaryKeyConstraintName: 'project_roles_pkey' })
  projectId!: ProjectId;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'project_roles_pkey' })
  key!: string;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text', { name: 'role_group', default: '' })
  group!: string;
}
