import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import type { OrgId, ProjectId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** A group of applications that share roles and settings. */
@Entity('projects')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'projects_org' })
// on an expression, which an entity cannot name (migrations/1796800000000)
@Index('projects_by_name', { synchronize: false })
@Index('projects_by_age', ['orgId', 'createdAt', 'id'])
@Unique('projects_in_org', ['orgId', 'id'])
@Unique('projects_name_in_org', ['orgId', 'name'])
@Unique('projects_resource_uri', ['resourceUri', 'orgId'])
@Check('projects_resource_uri_length', 'char_length(resource_uri) BETWEEN 1 AND 500')
@Check('projects_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('projects_state', "state IN ('active', 'inactive')")
@Check(
  'projects_private_labeling',
  `private_labeling_setting IN (
    'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY')`,
)
export class ProjectEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'projects_pkey', default: () => 'new_id()' })
  id!: ProjectId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  state!: ActivityState;

  @Column('boolean', { name: 'project_role_assertion', default: false })
  projectRoleAssertion!: boolean;

  @Column('boolean', { name: 'project_role_check', default: false })
  projectRoleCheck!: boolean;

  @Column('boolean', { name: 'has_project_check', default: false })
  hasProjectCheck!: boolean;

  @Column('text', { name: 'private_labeling_setting', default: 'PRIVATE_LABELING_SETTING_UNSPECIFIED' })
  privateLabelingSetting!: string;

  /** The resource indicator of the project (RFC 8707). */
  @Column('text', { name: 'resource_uri', nullable: true })
  resourceUri!: string | null;

  /** Unvetted applications (`isUnknownHere`) may ask their users for tokens for it. */
  @Column('boolean', { name: 'open_resource', default: false })
  openResource!: boolean;
}
