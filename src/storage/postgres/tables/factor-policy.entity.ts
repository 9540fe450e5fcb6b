import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import {
  FACTOR_KINDS,
  STEP_UPS,
  type FactorKind,
  type FactorPolicy,
} from '../../../domain/policies/factor-policy.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { literals, oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

const KINDS = `cardinality(kinds) BETWEEN 1 AND ${FACTOR_KINDS.length} AND kinds <@ ARRAY[${literals(FACTOR_KINDS)}]`;

/** What is asked of people beside a password, of an organization or of the instance. */
abstract class FactorDecisions extends CountedChanges {
  @Column('text', { name: 'second_factor', default: 'required' })
  secondFactor!: FactorPolicy['secondFactor'];

  @Column('text', { name: 'required_for', default: 'owners' })
  requiredFor!: FactorPolicy['requiredFor'];

  @Column('text', { array: true, default: ['passkey', 'totp', 'email', 'sms'] })
  kinds!: FactorKind[];

  @Column('integer', { name: 'trusted_browser_days', default: 0 })
  trustedBrowserDays!: number;

  @Column('text', { name: 'passkey_counter', default: 'event' })
  passkeyCounter!: FactorPolicy['passkeyCounter'];

  @Column('text', { name: 'step_up', default: 'off' })
  stepUp!: FactorPolicy['stepUp'];

  @Column('integer', { name: 'step_up_max_age_seconds', default: 3600 })
  stepUpMaxAgeSeconds!: number;
}

@Entity('factor_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'factor_policies_org', onDelete: 'CASCADE' })
@Check('factor_policies_second_factor', "second_factor IN ('off', 'offered', 'required')")
@Check('factor_policies_required_for', "required_for IN ('all', 'owners')")
@Check('factor_policies_kinds', KINDS)
@Check('factor_policies_trusted_browser_days', 'trusted_browser_days BETWEEN 0 AND 90')
@Check('factor_policies_passkey_counter', "passkey_counter IN ('event', 'refuse')")
@Check('factor_policies_step_up', `step_up ${oneOf(STEP_UPS)}`)
@Check('factor_policies_step_up_max_age', 'step_up_max_age_seconds BETWEEN 60 AND 86400')
export class FactorPolicyEntity extends FactorDecisions {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'factor_policies_pkey' })
  orgId!: OrgId;

  /** False once it was reset. */
  @Column('boolean', { name: 'is_set', default: true })
  isSet!: boolean;
}

/** No row stands for the defaults. */
@Entity('factor_settings')
@Check('factor_settings_one_row', 'id')
@Check('factor_settings_second_factor', "second_factor IN ('off', 'offered', 'required')")
@Check('factor_settings_required_for', "required_for IN ('all', 'owners')")
@Check('factor_settings_kinds', KINDS)
@Check('factor_settings_trusted_browser_days', 'trusted_browser_days BETWEEN 0 AND 90')
@Check('factor_settings_passkey_counter', "passkey_counter IN ('event', 'refuse')")
@Check('factor_settings_step_up', `step_up ${oneOf(STEP_UPS)}`)
@Check('factor_settings_step_up_max_age', 'step_up_max_age_seconds BETWEEN 60 AND 86400')
export class FactorSettingsEntity extends FactorDecisions {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'factor_settings_pkey', default: true })
  id!: boolean;
}
