import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { ClaimsFallback } from '../../../domain/claims-webhook/claims-webhook.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';

/** A webhook of an organization that is called for claims when tokens of its applications are issued. */
@Entity('claims_webhooks')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'claims_webhooks_org', onDelete: 'CASCADE' })
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'claims_webhooks_data_key' })
@ForeignKey(() => DataKeyEntity, ['formerDataKeyId'], ['id'], { name: 'claims_webhooks_former_data_key' })
@Check('claims_webhooks_url', 'char_length(url) BETWEEN 1 AND 2000')
@Check('claims_webhooks_timeout', 'timeout_seconds BETWEEN 1 AND 3')
@Check('claims_webhooks_on_failure', "on_failure IN ('issue', 'refuse')")
@Check(
  'claims_webhooks_former',
  'num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) IN (0, 3)',
)
export class ClaimsWebhookEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'claims_webhooks_pkey' })
  orgId!: OrgId;

  @Column('text')
  url!: string;

  /** For name resolution, connection, request and response together. */
  @Column('integer', { name: 'timeout_seconds', default: 1 })
  timeoutSeconds!: number;

  @Column('text', { name: 'on_failure', default: 'issue' })
  onFailure!: ClaimsFallback;

  @Column('bytea', { name: 'secret_sealed' })
  secretSealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;

  /** The former secret, with which requests are also signed until `formerSecretUntil`. */
  @Column('bytea', { name: 'former_secret_sealed', nullable: true })
  formerSecretSealed!: Buffer | null;

  @Column('integer', { name: 'former_data_key_id', nullable: true })
  formerDataKeyId!: number | null;

  @Column('timestamptz', { name: 'former_secret_until', nullable: true })
  formerSecretUntil!: Date | null;
}
