import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** The lockout policy of an organization: after how many wrong passwords, and for how long. */
@Entity('lockout_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'lockout_policies_org',
  onDelete: 'CASCADE',
})
@Check('lockout_policies_max_attempts', 'max_attempts BETWEEN 1 AND 100')
@Check('lockout_policies_free_attempts', 'free_attempts BETWEEN 1 AND max_attempts')
@Check('lockout_policies_first_wait', 'first_wait_seconds BETWEEN 1 AND 60')
@Check('lockout_policies_lock', 'lock_seconds BETWEEN 60 AND 43200')
export class LockoutPolicyEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'lockout_policies_pkey' })
  orgId!: OrgId;

  @Column('integer', { name: 'max_attempts', default: 10 })
  lockAfterFailures!: number;

  @Column('integer', { name: 'free_attempts', default: 5 })
  freeFailures!: number;

  @Column('integer', { name: 'first_wait_seconds', default: 2 })
  firstWaitSeconds!: number;

  @Column('integer', { name: 'lock_seconds', default: 900 })
  lockSeconds!: number;

  /** False once it was reset: the row then holds the defaults. */
  @Column('boolean', { name: 'is_set', default: true })
  isSet!: boolean;
}
