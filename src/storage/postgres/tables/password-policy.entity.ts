import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** What new passwords of an organization must have. */
@Entity('password_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'password_policies_org',
  onDelete: 'CASCADE',
})
@Check('password_policies_min_length', 'min_length BETWEEN 8 AND 72')
export class PasswordPolicyEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'password_policies_pkey' })
  orgId!: OrgId;

  @Column('integer', { name: 'min_length', default: 8 })
  minLength!: number;

  @Column('boolean', { name: 'has_lowercase', default: true })
  lowerCase!: boolean;

  @Column('boolean', { name: 'has_uppercase', default: true })
  upperCase!: boolean;

  @Column('boolean', { name: 'has_number', default: true })
  number!: boolean;

  @Column('boolean', { name: 'has_symbol', default: true })
  symbol!: boolean;

  /** False once it was reset: the row then holds the defaults. */
  @Column('boolean', { name: 'is_set', default: true })
  isSet!: boolean;
}
