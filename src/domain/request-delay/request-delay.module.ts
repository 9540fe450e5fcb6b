import { Module } from '@nestjs/common';
import { NotifyRequestDelay } from './notify-request-delay.js';

/** How long requests wait, reported by API processes to background workers. */
@Module({ providers: [NotifyRequestDelay], exports: [NotifyRequestDelay] })
export class RequestDelayModule {}
