import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ApplicationId, ApplicationKeyId, OrgId } from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';
import { CountedChanges } from './counted-changes.js';

/** A public key for client assertions of an application. The private key is never sent to the service. */
@Entity('application_keys')
@ForeignKey(() => ApplicationEntity, ['orgId', 'applicationId'], ['orgId', 'id'], {
  name: 'application_keys_application',
  onDelete: 'CASCADE',
})
@Index('application_keys_by_application', ['orgId', 'applicationId'])
@Index('application_keys_client_kid', ['applicationId', 'clientKid'], {
  unique: true,
  where: 'client_kid IS NOT NULL',
})
@Check('application_keys_public', "NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[])")
export class ApplicationKeyEntity extends CountedChanges {
  /** The `kid` in assertions, unless there is a `clientKid`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'application_keys_pkey', default: () => 'new_id()' })
  id!: ApplicationKeyId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'application_id' })
  applicationId!: ApplicationId;

  /** The `kid` given by a client that registered itself. */
  @Column('text', { name: 'client_kid', nullable: true })
  clientKid!: string | null;

  @Column('jsonb', { name: 'public_jwk' })
  publicJwk!: object;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
