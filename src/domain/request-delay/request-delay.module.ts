import { Module } from '@nestjs/common';
import { TellRequestDelay } from './tell-request-delay.js';

/** How long requests wait, told by API processes to those that work in the background. */
@Module({ providers: [TellRequestDelay], exports: [TellRequestDelay] })
export class RequestDelayModule {}
