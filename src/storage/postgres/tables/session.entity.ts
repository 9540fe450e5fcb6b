import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Proofs } from '../../../domain/sessions/proof.js';
import type { OrgId, SessionId, UserAgentId, UserId } from '../../../domain/shared/ids.js';
import { UserAgentEntity } from './user-agent.entity.js';
import { UserEntity } from './user.entity.js';

/**
 * The session of one user in one browser. An ended session stays, so that its tokens can be distinguished from unknown ones.
 */
@Entity('sessions')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'sessions_user',
  onDelete: 'CASCADE',
})
@ForeignKey(() => UserAgentEntity, ['userAgentId'], ['id'], {
  name: 'sessions_user_agent',
  onDelete: 'CASCADE',
})
@Unique('sessions_in_org', ['orgId', 'id'])
@Index('sessions_one_live_per_user', ['userAgentId', 'userId'], { unique: true, where: 'ended_at IS NULL' })
@Index('sessions_by_user_agent', ['userAgentId'])
@Index('sessions_by_user', ['orgId', 'userId'])
@Index('sessions_by_end', ['endedAt'], { where: 'ended_at IS NOT NULL' })
@Index('sessions_by_age', ['createdAt'], { where: 'ended_at IS NULL' })
@Check('sessions_device', 'char_length(device) BETWEEN 1 AND 60')
@Check('sessions_end', '(ended_at IS NULL) = (end_reason IS NULL)')
export class SessionEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sessions_pkey' })
  id!: SessionId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('text', { name: 'user_agent_id' })
  userAgentId!: UserAgentId;

  @Column('timestamptz', { name: 'auth_time' })
  authTime!: Date;

  @Column('text', { array: true })
  amr!: string[];

  @Column('integer', { name: 'subject_epoch' })
  subjectEpoch!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', default: () => 'app_now()' })
  lastUsedAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  @Column('text', { name: 'end_reason', nullable: true })
  endReason!: string | null;

  /** When each kind of proof was shown, in seconds since 1970. Empty in rows from before there were other kinds than passwords. */
  @Column('jsonb', { default: {} })
  proofs!: Proofs;

  /** When two factors of different kinds had been shown. */
  @Column('timestamptz', { name: 'second_factor_at', nullable: true })
  secondFactorAt!: Date | null;

  /** The user trusts this browser, so that no second factor is asked for. */
  @Column('boolean', { name: 'browser_trusted', default: false })
  browserTrusted!: boolean;

  /** The user has postponed setting up a required second factor. */
  @Column('boolean', { name: 'factors_postponed', default: false })
  factorsPostponed!: boolean;

  /** Browser and operating system, in words of ours. */
  @Column('text', { nullable: true })
  device!: string | null;
}
