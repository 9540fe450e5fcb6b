import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { NotificationChannel } from '../../../domain/notifications/notifications.store.js';
import type { ProviderState } from '../../../domain/notifications/providers/notification-providers.store.js';
import type { ProviderKind } from '../../../domain/notifications/providers/provider.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';

/** A provider that sends messages. Settings depend on its kind and hold no secret; the secret is sealed in columns of its own. */
@Entity('notification_providers')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'notification_providers_data_key' })
@Check(
  'notification_providers_kind',
  "(kind = 'smtp' AND channel = 'email') OR (kind IN ('twilio_messages', 'twilio_verify') AND channel = 'sms') OR (kind = 'http' AND channel IN ('email', 'sms'))",
)
@Check('notification_providers_state', "state IN ('active', 'inactive')")
@Check('notification_providers_limits', 'rate_per_second > 0 AND connections > 0')
@Check('notification_providers_settings', "jsonb_typeof(settings) = 'object'")
@Check('notification_providers_sealed', '(secret_sealed IS NULL) = (data_key_id IS NULL)')
export class NotificationProviderEntity extends CountedChanges {
  @PrimaryColumn('text', {
    primaryKeyConstraintName: 'notification_providers_pkey',
    default: () => 'new_id()',
  })
  id!: ProviderId;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: ProviderKind;

  @Column('text')
  channel!: NotificationChannel;

  @Column('text', { default: 'inactive' })
  state!: ProviderState;

  @Column('integer')
  priority!: number;

  @Column('integer', { name: 'rate_per_second', nullable: true })
  ratePerSecond!: number | null;

  @Column('integer')
  connections!: number;

  @Column('jsonb')
  settings!: object;

  @Column('bytea', { name: 'secret_sealed', nullable: true })
  secretSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;
}
