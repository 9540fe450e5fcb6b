import { Module } from '@nestjs/common';
import { IdempotentRequests } from './idempotent-requests.js';

/** Requests that may be sent again. */
@Module({ providers: [IdempotentRequests], exports: [IdempotentRequests] })
export class IdempotencyModule {}
