import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Sealer } from '../../domain/secrets/sealer.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { Clock } from '../../domain/shared/clock.js';
import { Log } from '../../domain/shared/log.js';
import { messageOf } from '../../domain/shared/message-of.js';
import { oncePer } from '../../domain/shared/once-per.js';
import { RateLimiter, type RateDecision } from '../../domain/shared/rate-limiter.js';
import { LocalWindows } from './local-windows.js';
import { connectAhead, redisClient, type RedisClient } from './redis-client.js';
import { RedisKeys } from './redis-keys.js';
import { SharedCounters } from './shared-counters.js';
import { DAY, decide, MINUTE, windowOf, type WindowCounts, type WindowLength } from './sliding-window.js';

/** A request may wait this long for Redis, once; then it is counted here. */
const ANSWER_MS = 50;
/** After an answer that did not come, Redis is not asked at all for this long. */
const PAUSE_MS = 2_000;

/** Adds to the running window and reads both, in one step. The key lives until it is no longer the previous one. */
const COUNT = `
  local current
  if tonumber(ARGV[1]) > 0 then
    current = redis.call('INCRBY', KEYS[1], ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  else
    current = redis.call('GET', KEYS[1]) or '0'
  end
  return { tonumber(current), tonumber(redis.call('GET', KEYS[2]) or '0') }`;

type CountingRedis = RedisClient & {
  countRequest(
    current: string,
    previous: string,
    add: number,
    lifeMs: number,
  ): Promise<readonly [current: number, previous: number]>;
};

/**
 * Counts in Redis, so that all replicas count together. Sign-in does not depend on Redis (security I7): while it is
 * down or slow each replica counts for itself, which allows at most one limit per replica. Requests that passed here are
 * always counted here too, so that no count restarts when Redis goes down, or comes back empty.
 */
@Injectable()
export class RedisRateLimiter extends RateLimiter implements OnApplicationShutdown {
  private readonly redis: CountingRedis | undefined;
  private readonly keys: RedisKeys;
  private readonly local = new LocalWindows();
  /** Apart: sources of a flood within a minute must not crowd out what is counted for a day. */
  private readonly localDays = new LocalWindows();
  private readonly tallies = new SharedCounters(({ rule, source, window }, add) =>
    this.countInRedis(rule, source, window, add),
  );
  private readonly warn: (reason: string) => void;
  private pausedUntil = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    sealer: Sealer,
    log: Log,
  ) {
    super();
    this.warn = oncePer(30_000, (reason: string) => log.warn('rates are counted locally', { reason }));
    this.keys = new RedisKeys(config.app.queues.keyPrefix, sealer);
    this.redis = config.app.queues.backend === 'redis' ? this.connect() : undefined;
  }

  override hit(rule: string, source: string, perMinute: number): Promise<RateDecision> {
    return this.ask(rule, source, perMinute, 1, MINUTE);
  }

  override hitOfDay(rule: string, source: string, perDay: number): Promise<RateDecision> {
    return this.ask(rule, source, perDay, 1, DAY);
  }

  override checkOfDay(rule: string, source: string, perDay: number): Promise<RateDecision> {
    return this.ask(rule, source, perDay, 0, DAY);
  }

  override check(rule: string, source: string, perMinute: number, underWay = 0): Promise<RateDecision> {
    return this.ask(rule, source, perMinute, 0, MINUTE, underWay);
  }

  override tally(rule: string, source: string, perMinute: number): RateDecision {
    if (perMinute === 0) return { allowed: true, retryAfterSeconds: 0 };
    const nowMs = this.clock.nowMs();
    const group = addressGroup(source);
    const here = this.local.count(`${rule} ${group}`, windowOf(nowMs), 1);
    const everywhere = this.tallies.count(rule, group, windowOf(nowMs));
    return decide(higher(here, everywhere), perMinute, nowMs, 0);
  }

  onApplicationShutdown(): void {
    this.tallies.close();
    this.redis?.disconnect();
  }

  private async ask(
    rule: string,
    source: string,
    most: number,
    add: 0 | 1,
    length: WindowLength,
    underWay = 0,
  ): Promise<RateDecision> {
    if (most === 0) return { allowed: true, retryAfterSeconds: 0 };
    const nowMs = this.clock.nowMs();
    const window = windowOf(nowMs, length);
    const local = length === DAY ? this.localDays : this.local;
    const here = local.count(`${rule} ${addressGroup(source)}`, window, add);
    const everywhere = await this.countInRedis(rule, source, window, add, length);
    const counts = everywhere === undefined ? here : higher(here, everywhere);
    return decide(counts, most, nowMs, add === 1 ? 0 : 1 + underWay, length);
  }

  /** @returns undefined when Redis does not answer in time */
  private async countInRedis(
    rule: string,
    source: string,
    window: number,
    add: number,
    length: WindowLength = MINUTE,
  ): Promise<WindowCounts | undefined> {
    if (this.redis?.status !== 'ready' || performance.now() < this.pausedUntil) return undefined;
    try {
      const [current, previous] = await this.redis.countRequest(
        this.keys.rateWindow(rule, source, window),
        this.keys.rateWindow(rule, source, window - 1),
        add,
        2 * length,
      );
      return { current, previous };
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.warn(messageOf(error));
      return undefined;
    }
  }

  private connect(): CountingRedis {
    const redis = redisClient(this.config.app.redis, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: ANSWER_MS,
      connectTimeout: 2_000,
      socketTimeout: 5_000,
      retryStrategy: (times) => Math.min(100 * 2 ** Math.min(times, 6), 5_000),
      scripts: { countRequest: { numberOfKeys: 2, lua: COUNT } },
    });
    // each failed reconnection is an error; only the first request that falls back logs it
    redis.on('error', () => undefined);
    connectAhead(redis);
    return redis as CountingRedis;
  }
}

function higher(one: WindowCounts, other: WindowCounts): WindowCounts {
  return {
    current: Math.max(one.current, other.current),
    previous: Math.max(one.previous, other.previous),
  };
}
