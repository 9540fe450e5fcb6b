import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { readConfig, type AppConfig } from '../../src/config/config.js';
import { Log } from '../../src/domain/shared/log.js';
import { requireNoEviction } from '../../src/queues/redis-policy.js';
import { startOwnRedis } from './support/redis-server.js';

class Warnings extends Log {
  readonly texts: string[] = [];
  override debug(): void {}
  override info(): void {}
  override warn(text: string): void {
    this.texts.push(text);
  }
  override error(): void {}
}

describe('a Redis that evicts keys (F05)', () => {
  let redis: PrivateRedis;
  let client: Redis;

  beforeAll(async () => {
    redis = await startOwnRedis();
    client = new Redis(redis.url);
  });

  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });

  function config(production: boolean, url = redis.url): AppConfig {
    return { ...readConfig({ REDIS_URL: url }), production };
  }

  async function told(settings: AppConfig): Promise<readonly string[]> {
    const log = new Warnings();
    await requireNoEviction(settings, log);
    return log.texts;
  }

  /** Where an answer takes longer than two seconds, the start goes on with another warning: then it is asked again. */
  async function expectRefused(settings: AppConfig): Promise<void> {
    const refusal = () => told(settings).then(() => 'none', String);
    await expect.poll(refusal).toContain('allkeys-lru');
  }

  it('is fine with noeviction', async () => {
    await expect.poll(() => told(config(true))).toEqual([]);
  });

  it('is refused in production and warned of elsewhere', async () => {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expectRefused(config(true));
    await expect.poll(() => told(config(false))).toEqual([expect.stringContaining('allkeys-lru')]);
  });

  it('is found out also by a user who may not ask for the configuration', async () => {
    await client.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@all', '-config');
    const limited = new URL(redis.url);
    limited.username = 'limited';
    limited.password = 'secret';
    await expectRefused(config(true, limited.href));
  });

  it('does not keep a process from starting when it is away', async () => {
    expect(await told(config(true, 'redis://127.0.0.1:1'))).toEqual([
      expect.stringContaining('could not read the eviction policy'),
    ]);
  });
});
