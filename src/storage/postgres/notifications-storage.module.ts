import { Module } from '@nestjs/common';
import { SmsBlocksStore } from '../../domain/notifications/abuse/sms-blocks.store.js';
import { SmsQuotasStore } from '../../domain/notifications/abuse/sms-quotas.store.js';
import { ProviderHealthStore } from '../../domain/notifications/health/provider-health.store.js';
import { DeliveriesStore } from '../../domain/notifications/ledger/deliveries.store.js';
import { NotificationsStore } from '../../domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../domain/notifications/providers/notification-providers.store.js';
import { ProviderRecordsStore } from '../../domain/notifications/providers/provider-records.store.js';
import { ProviderSecrets } from '../../domain/notifications/providers/provider-secrets.js';
import { MessageTemplatesStore } from '../../domain/notifications/templates/message-templates.store.js';
import { PgDeliveriesStore } from './pg-deliveries.store.js';
import { PgMessageTemplatesStore } from './pg-message-templates.store.js';
import { PgNotificationProvidersStore } from './pg-notification-providers.store.js';
import { PgNotificationsStore } from './pg-notifications.store.js';
import { PgProviderHealthStore } from './pg-provider-health.store.js';
import { PgProviderRecordsStore } from './pg-provider-records.store.js';
import { PgProviderSecrets } from './pg-provider-secrets.js';
import { PgSmsBlocksStore } from './pg-sms-blocks.store.js';
import { PgSmsQuotasStore } from './pg-sms-quotas.store.js';
import { storeBindings } from './store-bindings.js';

/** Messages, their templates, and who carries them. */
@Module(
  storeBindings(
    [NotificationsStore, PgNotificationsStore],
    [DeliveriesStore, PgDeliveriesStore],
    [NotificationProvidersStore, PgNotificationProvidersStore],
    [ProviderRecordsStore, PgProviderRecordsStore],
    [ProviderSecrets, PgProviderSecrets],
    [ProviderHealthStore, PgProviderHealthStore],
    [MessageTemplatesStore, PgMessageTemplatesStore],
    [SmsBlocksStore, PgSmsBlocksStore],
    [SmsQuotasStore, PgSmsQuotasStore],
  ),
)
export class NotificationsStorageModule {}
