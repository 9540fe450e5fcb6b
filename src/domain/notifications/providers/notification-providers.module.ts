import { Module } from '@nestjs/common';
import { ChangeProviderHealth } from '../health/change-provider-health.js';
import { ProviderGates } from '../health/provider-gates.js';
import { ManageProviders } from './manage-providers.js';
import { SmsModeOfFirstProvider, SmsProviders } from './sms-providers.js';
import { TestProvider } from './test-provider.js';

const useCases = [ManageProviders, ChangeProviderHealth, ProviderGates, TestProvider];

/** Providers of mail and SMS: configured, tried out, and left alone while they fail. */
@Module({
  providers: [...useCases, { provide: SmsProviders, useClass: SmsModeOfFirstProvider }],
  exports: [...useCases, SmsProviders],
})
export class NotificationProvidersModule {}
