import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';
import { Delivered } from './delivered.js';
import { OrganizationEntity } from './organization.entity.js';

/**
 * A logout token queued to an application. User and session are stored by id alone, because the notice that a session has
 * ended outlives both of them.
 */
@Entity('logout_notices')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'logout_notices_org' })
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'logout_notices_application',
  onDelete: 'CASCADE',
})
@Unique('logout_notices_once', ['sessionId', 'applicationId'])
@Index('logout_notices_by_application', ['applicationId'])
@Index('logout_notices_by_end', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Index('logout_notices_unfinished', ['createdAt'], { where: 'finished_at IS NULL' })
@Check('logout_notices_state', "state IN ('pending', 'sending', 'delivered', 'abandoned')")
@Check('logout_notices_finished', "(state IN ('delivered', 'abandoned')) = (finished_at IS NOT NULL)")
export class LogoutNoticeEntity extends Delivered {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'logout_notices_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'session_id' })
  sessionId!: string;

  @Column('text', { name: 'application_id' })
  applicationId!: string;
}
