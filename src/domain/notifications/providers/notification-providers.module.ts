import { Module } from '@nestjs/common';
import { ChangeProviderHealth } from '../health/change-provider-health.js';
import { ProviderGates } from '../health/provider-gates.js';
import { ManageProviders } from './manage-providers.js';
import { RecordProviderTest } from './record-provider-test.js';
import { SendTestMessage } from './send-test-message.js';
import { SmsModeOfFirstProvider, SmsProviders } from './sms-providers.js';

const useCases = [ManageProviders, ChangeProviderHealth, ProviderGates, SendTestMessage, RecordProviderTest];

/** Providers of mail and SMS: configured, tried out, and left alone while they fail. */
@Module({
  providers: [...useCases, { provide: SmsProviders, useClass: SmsModeOfFirstProvider }],
  exports: [...useCases, SmsProviders],
})
export class NotificationProvidersModule {}
