import { Module } from '@nestjs/common';
import { EnqueueNotification } from './enqueue-notification.js';
import { MailsWait } from './mails-wait.js';

const useCases = [EnqueueNotification, MailsWait];

/** Messages that are queued to somebody; sending.module.ts sends them. */
@Module({ providers: useCases, exports: useCases })
export class NotificationsModule {}
