import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { Log } from '../../../src/domain/shared/log.js';
import { RedisRateLimiter } from '../../../src/storage/redis/redis-rate-limiter.js';
import { PlainSealer } from '../../support/plain-sealer.js';
import { waitForRedis } from '../../support/rate-limits.js';
import { randomPrefix, redisUrl } from '../../support/redis.js';
import { SetClock } from '../../support/set-clock.js';
import { eventually } from '../../workers/support/eventually.js';
import { dumpRedis } from '../../workers/support/redis-server.js';
import { TcpProxy } from '../../workers/support/tcp-proxy.js';

class Notes extends Log {
  warnings: string[] = [];
  override debug(): void {}
  override info(): void {}
  override warn(message: string): void {
    this.warnings.push(message);
  }
  override error(): void {}
}

describe('the rate limiter', () => {
  const open: (() => void)[] = [];
  const clock = new SetClock(1_800_000_000_000);
  const log = new Notes();

  afterEach(() => {
    for (const close of open.splice(0)) close();
  });

  function limiter(url: string, prefix: string): RedisRateLimiter {
    const config = { app: readConfig({ REDIS_URL: url, QUEUE_PREFIX: prefix }) };
    const made = new RedisRateLimiter(config, clock, new PlainSealer(), log);
    open.push(() => made.onApplicationShutdown());
    return made;
  }

  async function connected(prefix: string, ...limiters: RedisRateLimiter[]): Promise<void> {
    for (const [index, one] of limiters.entries()) {
      await eventually('the limiter to reach Redis', 5_000, async () => {
        await one.hit('probe', `source ${index} ${Math.random()}`, 9);
        return (await dumpRedis(redisUrl(), prefix)).split('rate:').length > index + 1;
      });
    }
  }

  it('tallies at once, and replicas learn from each other', async () => {
    const prefix = randomPrefix();
    const [one, other] = [limiter(redisUrl(), prefix), limiter(redisUrl(), prefix)];
    await connected(prefix, one, other);
    await Promise.all([one, other].map(waitForRedis));
    for (let request = 0; request < 9; request += 1) {
      expect(one.tally('keys', '192.0.2.7', 10).allowed).toBe(true);
    }
    const told = (count: number): Promise<boolean> =>
      eventually('Redis to be told', 5_000, async () =>
        (await dumpRedis(redisUrl(), prefix)).includes(`"${count}"`),
      );
    await told(9);
    expect(other.tally('keys', '192.0.2.7', 10).allowed).toBe(true);
    await told(10);
    // answers come in order: after this one it has read the other
    await other.hit('probe', 'the same connection', 9);
    expect(other.tally('keys', '192.0.2.7', 10).allowed).toBe(false);
    expect(one.tally('keys', '192.0.2.8', 10).allowed).toBe(true);
    expect(one.tally('keys', '192.0.2.7', 0).allowed).toBe(true);
  });

  it('tallies for itself while Redis is away, up to the limit exactly', () => {
    const alone = limiter('redis://127.0.0.1:1', randomPrefix());
    const decisions = Array.from({ length: 11 }, () => alone.tally('keys', '192.0.2.9', 10));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...Array<boolean>(10).fill(true), false]);
    expect(decisions[10]?.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('counts for all replicas together, and neither rules nor sources mix', async () => {
    const prefix = randomPrefix();
    const [one, other] = [limiter(redisUrl(), prefix), limiter(redisUrl(), prefix)];
    await connected(prefix, one, other);
    await Promise.all([one, other].map(waitForRedis));
    for (const replica of [one, other, one]) {
      expect((await replica.hit('token', '192.0.2.1', 3)).allowed).toBe(true);
    }
    const refused = await other.hit('token', '192.0.2.1', 3);
    expect(refused.allowed).toBe(false);
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
    expect((await one.hit('sign-in', '192.0.2.1', 3)).allowed).toBe(true);
    expect((await one.hit('token', '192.0.2.2', 3)).allowed).toBe(true);
    clock.now += refused.retryAfterSeconds * 1_000;
    expect((await one.check('token', '192.0.2.1', 3)).allowed).toBe(true);
  });

  it('looks without counting, and counts nothing when switched off', async () => {
    const prefix = randomPrefix();
    const one = limiter(redisUrl(), prefix);
    await connected(prefix, one);
    for (let index = 0; index < 5; index += 1) {
      expect((await one.check('token', '192.0.2.3', 1)).allowed).toBe(true);
    }
    await one.hit('token', '192.0.2.3', 1);
    expect((await one.check('token', '192.0.2.3', 1)).allowed).toBe(false);
    expect((await one.check('token', '192.0.2.3', 0)).allowed).toBe(true);
  });

  it('holds every spelling of an address, and a whole /64, to one limit (S008)', async () => {
    const prefix = randomPrefix();
    const one = limiter(redisUrl(), prefix);
    await connected(prefix, one);
    for (const spelling of ['2001:db8::1', '2001:DB8:0:0:1::', '2001:db8::ffff']) {
      await one.hit('token', spelling, 3);
    }
    expect((await one.check('token', '2001:db8::2', 3)).allowed).toBe(false);
    await one.hit('token', '192.0.2.4', 1);
    expect((await one.check('token', '::ffff:192.0.2.4', 1)).allowed).toBe(false);
  });

  it('writes no address into Redis, and nothing that stays for ever', async () => {
    const prefix = randomPrefix();
    const one = limiter(redisUrl(), prefix);
    await connected(prefix, one);
    await one.hit('token', '192.0.2.5', 3);
    expect(await dumpRedis(redisUrl(), prefix)).not.toContain('192.0.2');
  });

  it('counts by itself while there is no Redis', async () => {
    const alone = limiter('redis://127.0.0.1:1', randomPrefix());
    await alone.hit('token', '192.0.2.6', 1);
    expect((await alone.hit('token', '192.0.2.6', 1)).allowed).toBe(false);
  });

  it('waits for a Redis that hangs once, shortly, and then leaves it alone for a while', async () => {
    const prefix = randomPrefix();
    const proxy = await TcpProxy.before(Number(new URL(redisUrl()).port));
    open.push(() => void proxy.stop());
    const one = limiter(proxy.urlOf(redisUrl()), prefix);
    await connected(prefix, one);
    proxy.hang();
    const before = log.warnings.length;
    await eventually('a time-out', 5_000, async () => {
      // two timers of one process: where it stands still, both are late
      const late = sleep(2_000, 'late', { ref: false });
      expect(await Promise.race([one.hit('token', '192.0.2.7', 1_000), late])).not.toBe('late');
      return log.warnings.length > before;
    });
    const asked = proxy.swallowed;
    for (let index = 0; index < 100; index += 1) await one.hit('token', '192.0.2.7', 1_000);
    // none, where these take less than the while
    expect(proxy.swallowed - asked).toBeLessThan(50);
  });
});
