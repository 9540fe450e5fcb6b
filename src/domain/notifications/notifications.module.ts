import { Module } from '@nestjs/common';
import { MailsWait } from './mails-wait.js';
import { OweNotification } from './owe-notification.js';

const useCases = [OweNotification, MailsWait];

/** Messages that are owed to somebody; sending.module.ts sends them. */
@Module({ providers: useCases, exports: useCases })
export class NotificationsModule {}
