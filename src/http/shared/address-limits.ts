import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { RateLimiter } from '../../domain/shared/rate-limiter.js';

/**
 * Per-address limits. Token and sign-in count failures only, so a backend that signs in a thousand people a minute
 * is never slowed down, and one that guesses is. The key set counts every request: clients are meant to cache it.
 */
@Injectable()
export class AddressLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /** Seconds to wait, or undefined when the request may go on. */
  async countKeysRequest(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(await this.limiter.hit('keys', request.ip, this.config.app.limits.keysPerMinute));
  }

  async checkToken(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(
      await this.limiter.check('token', request.ip, this.config.app.limits.tokenFailuresPerMinute),
    );
  }

  async countTokenFailure(request: FastifyRequest): Promise<void> {
    await this.limiter.hit('token', request.ip, this.config.app.limits.tokenFailuresPerMinute);
  }

  async checkSignIn(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(
      await this.limiter.check('sign-in', request.ip, this.config.app.limits.signInFailuresPerMinute),
    );
  }

  async countSignInFailure(request: FastifyRequest): Promise<void> {
    await this.limiter.hit('sign-in', request.ip, this.config.app.limits.signInFailuresPerMinute);
  }

  /** 429 with Retry-After (RFC 6585 §4, RFC 9110 §10.2.3) in the JSON form of the token-level endpoints. */
  refuse(reply: FastifyReply, retryAfterSeconds: number): FastifyReply {
    return reply
      .code(429)
      .headers({ 'retry-after': String(retryAfterSeconds), 'cache-control': 'no-store' })
      .send({
        error: 'temporarily_unavailable',
        error_description: `too many requests, try again in ${retryAfterSeconds} seconds`,
      });
  }
}

function waitOf(decision: {
  readonly allowed: boolean;
  readonly retryAfterSeconds: number;
}): number | undefined {
  return decision.allowed ? undefined : decision.retryAfterSeconds;
}
