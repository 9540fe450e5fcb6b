import { Module } from '@nestjs/common';
import { EnqueueNotification } from './enqueue-notification.js';
import { MailAvailability } from './mail-availability.js';

const useCases = [EnqueueNotification, MailAvailability];

/** Messages that are queued to somebody; sending.module.ts sends them. */
@Module({ providers: useCases, exports: useCases })
export class NotificationsModule {}
