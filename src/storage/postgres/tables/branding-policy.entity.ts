import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { LogoName } from '../../../domain/policies/logo.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Language } from '../../../domain/shared/locale.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** How an organization's pages and mails look; null stands for the built-in default. */
@Entity('branding_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'branding_policies_org',
  onDelete: 'CASCADE',
})
@Index('branding_policies_by_logo', ['logoName'])
@Check('branding_policies_display_name', 'char_length(display_name) BETWEEN 1 AND 200')
@Check('branding_policies_accent_color', "accent_color ~ '^#[0-9a-f]{6}$'")
@Check('branding_policies_logo', 'octet_length(logo) BETWEEN 1 AND 131072')
@Check('branding_policies_logo_named', '(logo IS NULL) = (logo_name IS NULL)')
@Check('branding_policies_logo_name', "logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'")
@Check('branding_policies_default_language', "default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'")
@Check('branding_policies_help_url', "help_url ~ '^https://' AND char_length(help_url) <= 2048")
@Check('branding_policies_privacy_url', "privacy_url ~ '^https://' AND char_length(privacy_url) <= 2048")
export class BrandingPolicyEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'branding_policies_pkey' })
  orgId!: OrgId;

  @Column('text', { name: 'display_name', nullable: true })
  displayName!: string | null;

  @Column('text', { name: 'accent_color', nullable: true })
  accentColor!: string | null;

  @Column('bytea', { nullable: true })
  logo!: Buffer | null;

  /** SHA-256 of the logo and its type, as the last part of its address. */
  @Column('text', { name: 'logo_name', nullable: true })
  logoName!: LogoName | null;

  @Column('text', { name: 'default_language', nullable: true })
  defaultLanguage!: Language | null;

  @Column('text', { name: 'help_url', nullable: true })
  helpUrl!: string | null;

  @Column('text', { name: 'privacy_url', nullable: true })
  privacyUrl!: string | null;
}
