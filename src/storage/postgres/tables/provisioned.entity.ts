import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, ProjectId, UserId } from '../../../domain/shared/ids.js';
import { ProjectRoleEntity } from './project-role.entity.js';
import { UserEntity } from './user.entity.js';

/** What a directory (SCIM) calls a user. */
@Entity('provisioned_users')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'provisioned_users_user',
  onDelete: 'CASCADE',
})
@Unique('provisioned_users_external_id', ['orgId', 'externalId'])
@Check('provisioned_users_external_id_length', 'char_length(external_id) BETWEEN 1 AND 200')
export class ProvisionedUserEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'provisioned_users_pkey' })
  userId!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  /** `userName` as sent by the directory; the user name itself is without the organization's domain. */
  @Column('text', { name: 'user_name' })
  userName!: string;

  /** Whether a deactivated user was locked by an administrator, to be locked again if the directory reactivates them. */
  @Column('boolean', { name: 'was_locked', default: false })
  wasLocked!: boolean;
}

/** The same for a role of a project, which is a group in SCIM. */
@Entity('provisioned_groups')
@ForeignKey(() => ProjectRoleEntity, ['projectId', 'roleKey'], ['projectId', 'key'], {
  name: 'provisioned_groups_role',
  onDelete: 'CASCADE',
})
@Unique('provisioned_groups_external_id', ['orgId', 'externalId'])
@Check('provisioned_groups_external_id_length', 'char_length(external_id) BETWEEN 1 AND 200')
export class ProvisionedGroupEntity {
  @PrimaryColumn('text', { name: 'project_id', primaryKeyConstraintName: 'provisioned_groups_pkey' })
  projectId!: ProjectId;

  @PrimaryColumn('text', { name: 'role_key', primaryKeyConstraintName: 'provisioned_groups_pkey' })
  roleKey!: string;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'external_id' })
  externalId!: string;
}
