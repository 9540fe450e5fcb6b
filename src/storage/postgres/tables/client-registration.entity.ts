import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { InformationalMetadata } from '../../../domain/client-registration/client-registrations.store.js';
import type { LogoName } from '../../../domain/policies/logo.js';
import type { ApplicationId, OrgId } from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';

/** The registration of a client that registered itself: its metadata beside the settings, and its registration access token. */
@Entity('client_registrations')
@ForeignKey(() => ApplicationEntity, ['orgId', 'applicationId'], ['orgId', 'id'], {
  name: 'client_registrations_application',
  onDelete: 'CASCADE',
})
@Index('client_registrations_expiry', ['expiresAt'])
@Index('client_registrations_of_org', ['orgId'])
@Index('client_registrations_by_logo', ['logoName'])
@Check('client_registrations_logo', 'octet_length(logo) BETWEEN 1 AND 102400')
@Check('client_registrations_logo_name', "logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'")
@Check(
  'client_registrations_logo_named',
  '(logo IS NULL) = (logo_name IS NULL) AND (logo IS NULL OR logo_source IS NOT NULL)',
)
@Check('client_registrations_kind', '(token_hash IS NULL) = (fresh_until IS NOT NULL)')
export class ClientRegistrationEntity {
  @PrimaryColumn('text', { name: 'application_id', primaryKeyConstraintName: 'client_registrations_pkey' })
  applicationId!: ApplicationId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  /** The registration access token; null for a client described by a metadata document. */
  @Column('bytea', { name: 'token_hash', nullable: true })
  tokenHash!: Buffer | null;

  /** Until when the metadata document is not fetched again. */
  @Column('timestamptz', { name: 'fresh_until', nullable: true })
  freshUntil!: Date | null;

  @Column('jsonb')
  metadata!: InformationalMetadata;

  /** The logo of the client, fetched when a user was first asked about it. */
  @Column('bytea', { nullable: true })
  logo!: Buffer | null;

  /** SHA-256 of the logo and its type, as the last part of its address. */
  @Column('text', { name: 'logo_name', nullable: true })
  logoName!: LogoName | null;

  /** The address that the logo was fetched from, or was tried. */
  @Column('text', { name: 'logo_source', nullable: true })
  logoSource!: string | null;

  /** When it was last tried. */
  @Column('timestamptz', { name: 'logo_tried_at', nullable: true })
  logoTriedAt!: Date | null;

  /** When the client is deleted, unless a user signs in with it before. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
