import { Module } from '@nestjs/common';
import { RateLimiter } from '../../domain/shared/rate-limiter.js';
import { StorageModule } from '../storage.module.js';
import { RedisRateLimiter } from './redis-rate-limiter.js';

/** What may be forgotten at any time. Jobs have their own connections (src/queues). */
@Module({
  imports: [StorageModule],
  providers: [{ provide: RateLimiter, useClass: RedisRateLimiter }],
  exports: [RateLimiter],
})
export class RedisModule {}
