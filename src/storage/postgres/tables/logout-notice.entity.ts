import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { ApplicationEntity } from './application.entity.js';
import { OrganizationEntity } from './organization.entity.js';

/**
 * A logout token queued to an application. User and session are told by id alone, because the news that a session is
 * over outlives both of them.
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
export class LogoutNoticeEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'logout_notices_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'session_id' })
  sessionId!: string;

  @Column('text', { name: 'application_id' })
  applicationId!: string;

  @Column('bigint', { name: 'outbox_id', nullable: true })
  outboxId!: string | null;

  @Column('text', { default: 'pending' })
  state!: string;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('bigint', { default: 0 })
  fence!: string;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
