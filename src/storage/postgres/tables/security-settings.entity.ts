import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/** What the instance allows. No row stands for the defaults. */
@Entity('security_settings')
@Check('security_settings_one_row', 'id')
export class SecuritySettingsEntity extends CountedChanges {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'security_settings_pkey', default: true })
  id!: boolean;

  @Column('boolean', { name: 'enable_impersonation', default: false })
  enableImpersonation!: boolean;
}
