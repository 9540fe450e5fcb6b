import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { RateLimiter } from '../../domain/shared/rate-limiter.js';

/** Addresses that may be blocked at once, per replica. */
const MOST_BLOCKED = 10_000;

/**
 * Per-address limits. Token and sign-in count failures only, so a backend that signs in a thousand people a minute
 * is never slowed down, and one that guesses is. The key set counts every request: clients are meant to cache it.
 */
@Injectable()
export class AddressLimits {
  /** Address → when it may ask for tokens again, by performance.now(). */
  private readonly blocked = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /** Seconds to wait, or undefined when the request may go on. */
  async countKeysRequest(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(await this.limiter.hit('keys', request.ip, this.config.app.limits.keysPerMinute));
  }

  /** From memory alone, because every token request asks: each replica learns of a block by the next failure. */
  checkToken(request: FastifyRequest): number | undefined {
    const until = this.blocked.get(request.ip);
    if (until === undefined) return undefined;
    const wait = Math.ceil((until - performance.now()) / 1000);
    if (wait > 0) return wait;
    this.blocked.delete(request.ip);
    return undefined;
  }

  async countTokenFailure(request: FastifyRequest): Promise<void> {
    const decision = await this.limiter.hit(
      'token',
      request.ip,
      this.config.app.limits.tokenFailuresPerMinute,
    );
    if (decision.allowed) return;
    // forgetting all of them costs each guesser one more guess; an endless list would cost us the memory
    if (this.blocked.size >= MOST_BLOCKED) this.blocked.clear();
    this.blocked.set(request.ip, performance.now() + decision.retryAfterSeconds * 1000);
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
