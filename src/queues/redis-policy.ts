import type { Redis } from 'ioredis';
import type { AppConfig } from '../config/config.js';
import type { Log } from '../domain/shared/log.js';
import { askRedisBriefly } from '../storage/redis/redis-briefly.js';
import { writableServers } from '../storage/redis/redis-client.js';

const RIGHT = 'noeviction';

/**
 * A Redis that evicts keys under memory pressure loses jobs silently. Nothing is lost for good, because the
 * outbox is in Postgres, but work is late for no visible reason: so production refuses to start on one
 * (security F05). On a cluster each node has a policy of its own. A Redis that is down or does not report its policy does not
 * prevent the start.
 */
export async function requireNoEviction(config: AppConfig, log: Log): Promise<void> {
  const policies = await askRedisBriefly(config.redis, async (redis) =>
    Promise.all(
      writableServers(redis).map(async (server) => (await policyByConfig(server)) ?? policyByInfo(server)),
    ),
  );
  const policy = policies?.find((one) => one !== undefined && one !== RIGHT) ?? policies?.[0];
  if (policy === RIGHT) return;
  if (policy === undefined) {
    log.warn('could not read the eviction policy of Redis; it must be noeviction');
    return;
  }
  const problem = `Redis has maxmemory-policy ${policy}; it must be noeviction, or jobs disappear under memory pressure`;
  if (config.production) throw new Error(problem);
  log.warn(problem);
}

/** Managed services and restricted users often forbid CONFIG. */
async function policyByConfig(redis: Redis): Promise<string | undefined> {
  try {
    const answer: unknown = await redis.config('GET', 'maxmemory-policy');
    const value: unknown = Array.isArray(answer) ? answer[1] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

async function policyByInfo(redis: Redis): Promise<string | undefined> {
  return /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
}
