import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MANAGEMENT_ACCESS, type ManagementAccess } from '../../../domain/permissions/management-access.js';
import type { ApplicationId, OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { ApplicationEntity } from './application.entity.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** A user's consent to an application: to access the service's own APIs, or to sign them in. */
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

  /** The user's organization. */
  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  access!: ManagementAccess;

  /** Scopes that the user has allowed to an unvetted application (`isUnknownHere`). */
  @Column('text', { array: true, default: [] })
  scopes!: string[];
}
