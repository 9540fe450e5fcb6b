import { Module } from '@nestjs/common';
import { NotifyRequestDelay } from './notify-request-delay.js';

/** How long requests wait, told by API processes to those that work in the background. */
@Module({ providers: [NotifyRequestDelay], exports: [NotifyRequestDelay] })
export class RequestDelayModule {}
