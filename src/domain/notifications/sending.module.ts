import { Module } from '@nestjs/common';
import { DeliveryModule } from '../outbox/delivery.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { SmsLimitsModule } from './abuse/sms-limits.module.js';
import { ComposeMessages } from './compose-messages.js';
import { HandOver } from './hand-over.js';
import { NotificationProvidersModule } from './providers/notification-providers.module.js';
import { SendByProvider } from './send-by-provider.js';
import { SendNotification } from './send-notification.js';

const useCases = [ComposeMessages, HandOver, SendNotification];

/** Sending the messages that are queued. */
@Module({
  imports: [DeliveryModule, NotificationProvidersModule, SmsLimitsModule, StatisticsModule],
  providers: [...useCases, SendByProvider],
  exports: useCases,
})
export class SendingModule {}
