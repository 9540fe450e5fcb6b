import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { ClientId, OrgId, ProjectId } from '../../../domain/shared/ids.js';
import { OrganizationEntity } from './organization.entity.js';
import { ProjectEntity } from './project.entity.js';

/** The one row that says which organization is the default and which project stands for the API itself. */
@Entity('instance')
@ForeignKey(() => OrganizationEntity, ['defaultOrgId'], ['id'], { name: 'instance_default_org' })
@ForeignKey(() => ProjectEntity, ['defaultOrgId', 'apiProjectId'], ['orgId', 'id'], {
  name: 'instance_api_project',
})
@Check('instance_one_row', 'id')
export class InstanceEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'instance_pkey', default: true })
  id!: boolean;

  @Column('text', { name: 'default_org_id' })
  defaultOrgId!: OrgId;

  @Column('text', { name: 'api_project_id' })
  apiProjectId!: ProjectId;

  @Column('text', { name: 'console_client_id', nullable: true })
  consoleClientId!: ClientId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
