import { RateLimiter, type RateDecision } from '../../src/domain/shared/rate-limiter.js';

const notAskedFor = (): never => {
  throw new Error('not asked for');
};

/** Counts hits by rule and source, in one minute that never ends. */
export class CountedLimiter extends RateLimiter {
  private readonly counts = new Map<string, number>();

  override async hit(rule: string, source: string, perMinute: number): Promise<RateDecision> {
    const key = `${rule} ${source}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return await Promise.resolve({ allowed: count <= perMinute, retryAfterSeconds: 1 });
  }

  override hitOfDay = notAskedFor;
  override checkOfDay = notAskedFor;
  override check = notAskedFor;
  override tally = notAskedFor;
}
