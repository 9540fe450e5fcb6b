import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MANAGEMENT_ACCESS, type ManagementAccess } from '../../../domain/permissions/management-access.js';
import type { ApplicationId, OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { ApplicationEntity } from './application.entity.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** How far a user lets an application act for them on the service's own APIs, or that they let it sign them in. */
@Entity('consents')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'consents_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'consents_application',
  onDelete: 'CASCADE',
})
@Index('consents_by_application', ['applicationId'])
@Check('consents_access', `access ${oneOf(MANAGEMENT_ACCESS)}`)
export class ConsentEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'consents_pkey' })
  userId!: UserId;

  @PrimaryColumn('text', { name: 'application_id', primaryKeyConstraintName: 'consents_pkey' })
  applicationId!: ApplicationId;

  /** Of the user. */
  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  access!: ManagementAccess;

  /** Scopes with which an unvetted application (`isUnknownHere`) may sign them in. */
  @Column('text', { array: true, default: [] })
  scopes!: string[];
}
