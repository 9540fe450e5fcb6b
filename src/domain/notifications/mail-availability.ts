import { Injectable } from '@nestjs/common';
import { NotificationProvidersStore } from './providers/notification-providers.store.js';

/** Whether there is anything to send mails by. If not, they wait in the outbox. */
@Injectable()
export class MailAvailability {
  constructor(private readonly providers: NotificationProvidersStore) {}

  async canSend(): Promise<boolean> {
    return (await this.providers.usable('email')).length > 0;
  }
}
