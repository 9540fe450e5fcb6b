import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { ROLES, type Role } from '../../../domain/permissions/permissions.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { OrganizationEntity } from './organization.entity.js';
import { UserEntity } from './user.entity.js';

/** A role of a user: IAM_ roles are for the instance, without an organization; ORG_ roles are for one organization. */
@Entity('memberships')
@ForeignKey(() => UserEntity, ['userOrgId', 'userId'], ['orgId', 'id'], {
  name: 'memberships_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'memberships_org', onDelete: 'CASCADE' })
@Index('memberships_of_org', ['orgId'])
// NULLS NOT DISTINCT in the migration, which TypeORM does not support: an IAM_ role, too, is unique for a user
@Unique('memberships_once', ['userId', 'role', 'orgId'])
@Check('memberships_scope', `(role LIKE 'IAM\\_%') = (org_id IS NULL)`)
@Check('memberships_role', `role ${oneOf(ROLES)}`)
export class MembershipEntity {
  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('text', { name: 'user_org_id' })
  userOrgId!: OrgId;

  @Column('text')
  role!: Role;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: OrgId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'memberships_pkey', default: () => 'new_id()' })
  id!: string;

  /** The same for all roles of the user in one organization or in the instance: they change together. */
  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
