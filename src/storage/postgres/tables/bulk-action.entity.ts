import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import {
  BULK_ACTION_STATES,
  BULK_ACTIONS,
  type BulkActionKind,
  type BulkActionState,
} from '../../../domain/bulk-actions/bulk-action.js';
import type { ApplicationId, BulkActionId, OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** An action on many users of an organization, requested by one caller. */
@Entity('bulk_actions')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'bulk_actions_org' })
@Index('bulk_actions_of_org', ['orgId', 'finishedAt'])
@Check('bulk_actions_action', `action ${oneOf(BULK_ACTIONS)}`)
@Check('bulk_actions_state', `state ${oneOf(BULK_ACTION_STATES)}`)
export class BulkActionEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'bulk_actions_pkey', default: () => 'new_id()' })
  id!: BulkActionId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  action!: BulkActionKind;

  @Column('text', { default: 'running' })
  state!: BulkActionState;

  @Column('text', { name: 'created_by' })
  createdBy!: UserId;

  @Column('text', { nullable: true })
  through!: ApplicationId | null;

  /** The personal access token of the request. */
  @Column('text', { name: 'token_id', nullable: true })
  tokenId!: string | null;

  /** The subject's epoch in any other token of the request. */
  @Column('integer', { name: 'subject_epoch', nullable: true })
  subjectEpoch!: number | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}

/** One of its users. Without a foreign key, so that deleted users stay counted. */
@Entity('bulk_action_users')
@ForeignKey(() => BulkActionEntity, ['bulkActionId'], ['id'], {
  name: 'bulk_action_users_action',
  onDelete: 'CASCADE',
})
@Index('bulk_action_users_pending', ['bulkActionId', 'userId'], { where: 'outcome IS NULL' })
@Index('bulk_action_users_failed', ['bulkActionId', 'userId'], { where: "outcome = 'failed'" })
@Check('bulk_action_users_outcome', "outcome IN ('done', 'failed')")
export class BulkActionUserEntity {
  @PrimaryColumn('text', { name: 'bulk_action_id', primaryKeyConstraintName: 'bulk_action_users_pkey' })
  bulkActionId!: BulkActionId;

  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'bulk_action_users_pkey' })
  userId!: UserId;

  @Column('text', { nullable: true })
  outcome!: 'done' | 'failed' | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
