import { Module } from '@nestjs/common';
import { SmsLimitsStore } from '../../../domain/notifications/abuse/sms-limits.store.js';
import { NotificationsStore } from '../../../domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../../domain/notifications/providers/notification-providers.store.js';
import { ProviderSecrets } from '../../../domain/notifications/providers/provider-secrets.js';
import { MessageTemplatesStore } from '../../../domain/notifications/templates/message-templates.store.js';
import { SmsDelivery } from '../../../domain/policies/sms-delivery.js';
import { storeBindings } from '../store-bindings.js';
import { PgMessageTemplatesStore } from './message-templates.store.js';
import { PgNotificationProvidersStore } from './notification-providers.store.js';
import { PgNotificationsStore } from './notifications.store.js';
import { PgProviderSecrets } from './provider-secrets.js';
import { ProvidersSmsDelivery } from './sms-delivery.js';
import { PgSmsLimitsStore } from './sms-limits.store.js';

/** Messages, their templates, and who carries them. */
@Module(
  storeBindings(
    [NotificationsStore, PgNotificationsStore],
    [NotificationProvidersStore, PgNotificationProvidersStore],
    [SmsDelivery, ProvidersSmsDelivery],
    [ProviderSecrets, PgProviderSecrets],
    [MessageTemplatesStore, PgMessageTemplatesStore],
    [SmsLimitsStore, PgSmsLimitsStore],
  ),
)
export class NotificationsStorageModule {}
