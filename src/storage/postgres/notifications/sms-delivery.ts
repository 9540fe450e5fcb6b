import { Injectable } from '@nestjs/common';
import { NotificationProvidersStore } from '../../../domain/notifications/providers/notification-providers.store.js';
import { SmsDelivery } from '../../../domain/policies/sms-delivery.js';

/** By the providers that are active, of the configuration as well. */
@Injectable()
export class ProvidersSmsDelivery extends SmsDelivery {
  constructor(private readonly providers: NotificationProvidersStore) {
    super();
  }

  override async isPossible(): Promise<boolean> {
    return (await this.providers.usable('sms')).length > 0;
  }
}
