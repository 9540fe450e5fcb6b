import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/** Lifetimes of tokens without a policy of their organization; without a row, or if null, the configured ones. */
@Entity('oidc_settings')
@Check('oidc_settings_one_row', 'id')
@Check('oidc_settings_access_token', 'access_token_seconds BETWEEN 60 AND 2592000')
@Check('oidc_settings_id_token', 'id_token_seconds BETWEEN 60 AND 2592000')
@Check('oidc_settings_refresh_idle', 'refresh_idle_seconds BETWEEN 300 AND 31536000')
@Check('oidc_settings_refresh_absolute', 'refresh_absolute_seconds BETWEEN 300 AND 31536000')
export class OidcSettingsEntity extends CountedChanges {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'oidc_settings_pkey', default: true })
  id!: boolean;

  @Column('integer', { name: 'access_token_seconds', nullable: true })
  accessTokenSeconds!: number | null;

  @Column('integer', { name: 'id_token_seconds', nullable: true })
  idTokenSeconds!: number | null;

  @Column('integer', { name: 'refresh_idle_seconds', nullable: true })
  refreshIdleSeconds!: number | null;

  @Column('integer', { name: 'refresh_absolute_seconds', nullable: true })
  refreshAbsoluteSeconds!: number | null;
}
