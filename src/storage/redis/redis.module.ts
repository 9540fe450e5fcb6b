import { Global, Module } from '@nestjs/common';
import { RateLimiter } from '../../domain/shared/rate-limiter.js';
import { RedisRateLimiter } from './redis-rate-limiter.js';

/** What may be forgotten at any time; global as the storage is. Jobs have their own connections (src/queues). */
@Global()
@Module({
  providers: [{ provide: RateLimiter, useClass: RedisRateLimiter }],
  exports: [RateLimiter],
})
export class RedisModule {}
