import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { UserId } from '../../domain/shared/ids.js';
import { RateLimiter } from '../../domain/shared/rate-limiter.js';

const MOST_TESTS_PER_MINUTE = 10;
const MOST_COPIES_PER_MINUTE = 3;

/**
 * How often one caller may ask the APIs, whatever address they ask from: a script that has run wild must not take the
 * service from others. Counted over all replicas in Redis, and by each replica for itself while that is away.
 */
@Injectable()
export class CallerLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /** Counts one request. @throws ApiError resource-exhausted with the seconds to wait */
  async admit(userId: UserId): Promise<void> {
    await this.count('api', userId, this.config.app.limits.apiCallsPerMinute);
  }

  /** Counts a request that has a mail sent to an address of the caller's choice. @throws as `admit` */
  async admitMail(userId: UserId): Promise<void> {
    await this.count('api-mail', userId, this.config.app.limits.mailRequestsPerMinute);
  }

  /** Counts a message that tests a provider: whoever it goes to did not ask for it. @throws as `admit` */
  async admitTest(userId: UserId): Promise<void> {
    const { mailRequestsPerMinute } = this.config.app.limits;
    await this.count('provider-test', userId, Math.min(MOST_TESTS_PER_MINUTE, mailRequestsPerMinute));
  }

  /** Counts a ping to a webhook: its server may be anybody's. @throws as `admit` */
  async admitPing(userId: UserId): Promise<void> {
    await this.count('webhook-test', userId, MOST_TESTS_PER_MINUTE);
  }

  /** Counts a test of a message's words, which goes to the caller. @throws as `admit` */
  async admitTemplateTest(userId: UserId): Promise<void> {
    const { mailRequestsPerMinute } = this.config.app.limits;
    await this.count('template-test', userId, Math.min(MOST_TESTS_PER_MINUTE, mailRequestsPerMinute));
  }

  /** Counts a copy of all that is kept about the caller. @throws as `admit` */
  async admitCopy(userId: UserId): Promise<void> {
    await this.count('own-data', userId, MOST_COPIES_PER_MINUTE);
  }

  private async count(rule: string, userId: UserId, perMinute: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.limiter.hit(rule, userId, perMinute);
    if (allowed) return;
    throw new ApiError('resource-exhausted', 'too many requests', 'LIMITS-4Kd8s', retryAfterSeconds);
  }
}
