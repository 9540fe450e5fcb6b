import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** What the instance allows. No row stands for the defaults. */
@Entity('security_settings')
@Check('security_settings_one_row', 'id')
export class SecuritySettingsEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'security_settings_pkey', default: true })
  id!: boolean;

  @Column('boolean', { name: 'enable_impersonation', default: false })
  enableImpersonation!: boolean;

  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;
}
