import { Injectable } from '@nestjs/common';
import { NotificationProvidersStore } from './providers/notification-providers.store.js';

/** Whether mails stay where they are for want of anything to send them by. */
@Injectable()
export class MailAvailability {
  constructor(private readonly providers: NotificationProvidersStore) {}

  async now(): Promise<boolean> {
    return (await this.providers.usable('email')).length === 0;
  }
}
