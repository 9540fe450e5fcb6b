import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { Sealer, type SealedValue } from '../../src/domain/secrets/sealer.js';
import { Clock } from '../../src/domain/shared/clock.js';
import { Log } from '../../src/domain/shared/log.js';
import { BULL_QUEUE_NAMES } from '../../src/queues/job-queues.js';
import { redisTakesWrites } from '../../src/queues/redis-answers.js';
import { requireNoEviction } from '../../src/queues/redis-policy.js';
import { RedisRateLimiter } from '../../src/storage/redis/redis-rate-limiter.js';
import { TestAuthority } from '../conformance/support/certificate.js';
import { limitedUser, randomPrefix, serviceRules, type LimitedUser } from '../support/redis.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';
import { Pipeline } from './support/pipeline.js';
import {
  startCluster,
  startSentinels,
  startTlsRedis,
  tell,
  tellAll,
  type RedisTopology,
  type SentinelTopology,
  type TlsRedis,
} from './support/redis-topologies.js';

type Settings = Readonly<Record<string, string>>;

/** The rights that operators copy. */
const [, CLUSTER_RIGHTS = '', SENTINEL_RIGHTS = ''] =
  /```\n(~\{QUEUE_PREFIX\}.*)\n```[\s\S]*?```\n(resetkeys .*)\n```/.exec(
    readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8'),
  ) ?? [];
/** Asked in case it is allowed: the eviction policy, and a courtesy of the driver's. */
const MAY_BE_REFUSED = new Set(['config|get', 'client|setinfo']);

class Quiet extends Log {
  override debug(): void {}
  override info(): void {}
  override warn(): void {}
  override error(): void {}
}

class RunningClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }
}

class PlainSealer extends Sealer {
  override seal(): SealedValue {
    throw new Error('not asked for');
  }
  override open(): Promise<Buffer> {
    throw new Error('not asked for');
  }
  override mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', purpose).update(text).digest();
  }
}

function withAccount(url: string | undefined, { name, password }: LimitedUser): string {
  const signedIn = new URL(url ?? '');
  signedIn.username = name;
  signedIn.password = password;
  return signedIn.href;
}

async function answers(settings: Settings): Promise<boolean> {
  return await redisTakesWrites(readConfig({ ...settings, QUEUE_PREFIX: randomPrefix() }));
}

/** A worker with these settings is ready, and sends a mail. */
async function sendsMail(settings: Settings): Promise<void> {
  const pipeline = await Pipeline.build(settings['REDIS_URL'] ?? '', settings);
  try {
    const worker = await pipeline.startWorker({ WORKER_QUEUES: 'notifications' });
    const { to } = await pipeline.seed.queueMail({ lane: 'priority' });
    await eventually('the mail', 30_000, () => pipeline.sink.to(to).length === 1);
    expect((await worker.ops('/readyz')).status).toBe(200);
  } finally {
    await pipeline.tearDown();
  }
}

describe('a cluster of three', () => {
  let cluster: RedisTopology;
  let user: LimitedUser;
  let settings: Settings;

  beforeAll(async () => {
    cluster = await startCluster();
    const rules = `${serviceRules()} ${CLUSTER_RIGHTS}`
      .replace('~QUEUE_PREFIX:*', '~t*')
      .replace('~{QUEUE_PREFIX}:*', '~{t*');
    const urls = cluster.servers.map(({ url }) => url);
    user = await limitedUser(urls, rules);
    const { REDIS_URL, ...rest } = cluster.environment;
    settings = { ...rest, REDIS_URL: withAccount(REDIS_URL, user) };
  });

  afterAll(async () => await cluster.stop());

  const keysOf = async (pattern: string): Promise<readonly (readonly string[])[]> =>
    (await tellAll(cluster.servers, 'KEYS', pattern)) as string[][];

  it('imports, sends, retries and beats with the documented rights, all of a queue on one node', async () => {
    const url = settings['REDIS_URL'] ?? '';
    const [imports, pipeline] = await Promise.all([
      Imports.build(url, settings),
      Pipeline.build(url, settings),
    ]);
    await Promise.all([imports.startWorker(), pipeline.startWorker()]);
    let refusals = 0;
    pipeline.sink.atRecipient = () => {
      refusals += 1;
      return refusals <= 2 ? '451' : 'accept';
    };
    const people = Array.from({ length: 120 }, (_, n) => ({
      userName: `person${n}`,
      profile: { firstName: 'P', lastName: `${n}` },
      email: { email: `person${n}@example.com`, isEmailVerified: true },
    }));
    const job = await imports.receive(people);
    const lanes = ['priority', 'bulk'] as const;
    const mails = await Promise.all(
      Array.from(
        { length: 24 },
        async (_, n) => await pipeline.seed.queueMail({ lane: lanes[n % 2] ?? 'bulk' }),
      ),
    );
    expect((await imports.untilEnded(job, 60_000)).state).toBe('done');
    expect(await imports.countUsers()).toBe(people.length);
    await eventually('every mail', 60_000, () => mails.every(({ to }) => pipeline.sink.to(to).length > 0));
    await eventually('a heartbeat of each queue', 30_000, async () => {
      const { rows } = await pipeline.pool.query('SELECT FROM heartbeats');
      return rows.length === BULL_QUEUE_NAMES.length;
    });
    const holders = (await keysOf(`{${pipeline.prefix}}:*`)).filter((keys) => keys.length > 0);
    expect(holders).toHaveLength(1);
    expect((await keysOf(`${pipeline.prefix}:*`)).flat()).toEqual([]);
    await imports.tearDown();
    await pipeline.tearDown();
    expect(mails.map(({ to }) => pipeline.sink.to(to).length)).toEqual(mails.map(() => 1));
    expect((await user.refused()).filter((command) => !MAY_BE_REFUSED.has(command))).toEqual([]);
  });

  it('limits for all replicas together, with the counters spread over the nodes', async () => {
    const prefix = randomPrefix();
    const config = { app: readConfig({ ...settings, QUEUE_PREFIX: prefix }) };
    const made = () => new RedisRateLimiter(config, new RunningClock(), new PlainSealer(), new Quiet());
    const [one, other] = [made(), made()];
    const sources = Array.from({ length: 12 }, (_, n) => `192.0.2.${n}`);
    // both have reached each node once it holds what either counted
    await eventually('counters of both', 30_000, async () => {
      for (const limiter of [one, other]) {
        for (const source of sources)
          await limiter.hit('probe', `${source}${limiter === one ? '' : '0'}`, 9_999);
      }
      const keys = (await keysOf(`${prefix}:rate:*`)).flat();
      return keys.length >= 2 * sources.length;
    });
    for (const source of sources) {
      await one.hit('token', source, 3);
      await other.hit('token', source, 3);
      await one.hit('token', source, 3);
      expect((await other.hit('token', source, 3)).allowed).toBe(false);
      expect((await one.check('token', source, 3)).allowed).toBe(false);
    }
    expect((await keysOf(`${prefix}:rate:*`)).filter((keys) => keys.length > 0)).toHaveLength(3);
    one.onApplicationShutdown();
    other.onApplicationShutdown();
  });

  it('is refused in production when a single node evicts', async () => {
    const config = { ...readConfig(settings), production: true };
    const admin = { ...readConfig(cluster.environment), production: true };
    await requireNoEviction(config, new Quiet());
    const url = cluster.servers[2]?.url ?? '';
    await tell(url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(requireNoEviction(config, new Quiet())).rejects.toThrow('allkeys-lru');
    await expect(requireNoEviction(admin, new Quiet())).rejects.toThrow('allkeys-lru');
    await tell(url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });
});

describe('TLS', () => {
  const authority = new TestAuthority();
  const strange = new TestAuthority();
  let redis: TlsRedis;

  beforeAll(async () => {
    redis = await startTlsRedis(authority.issue('redis'), authority.cert, true);
  });

  afterAll(async () => await redis.stop());

  it('takes the certificate of the right authority only, and shows its own', async () => {
    const client = authority.issue('identity');
    const strangers = strange.issue('identity');
    const own = {
      REDIS_TLS_CERT_FILE: await redis.file('client.crt', client.cert),
      REDIS_TLS_KEY_FILE: await redis.file('client.key', client.key),
    };
    const right: Settings = { ...redis.environment, ...own };
    expect(await answers(right)).toBe(true);
    const wrongAuthority = await redis.file('strange.crt', strange.cert);
    expect(await answers({ ...right, REDIS_TLS_CA_FILE: wrongAuthority })).toBe(false);
    const { REDIS_TLS_CA_FILE: _, ...withoutAuthority } = right;
    expect(await answers(withoutAuthority)).toBe(false);
    expect(await answers(redis.environment)).toBe(false);
    const foreign = {
      REDIS_TLS_CERT_FILE: await redis.file('strange-client.crt', strangers.cert),
      REDIS_TLS_KEY_FILE: await redis.file('strange-client.key', strangers.key),
    };
    expect(await answers({ ...redis.environment, ...foreign })).toBe(false);
    expect(await answers({ ...right, REDIS_TLS_SERVER_NAME: 'localhost' })).toBe(true);
    expect(await answers({ ...right, REDIS_TLS_SERVER_NAME: 'redis.example.com' })).toBe(false);
    await sendsMail(right);
  });
});

describe('a primary that sentinels name', () => {
  let site: SentinelTopology;

  beforeAll(async () => {
    site = await startSentinels();
  });

  afterAll(async () => await site.stop());

  it('is found with the documented rights alone, and only with the right password', async () => {
    const sentinels = site.servers.slice(2).map(({ url }) => url);
    const asker = await limitedUser(sentinels, SENTINEL_RIGHTS);
    const [primary, replica] = [site.primary.url, site.replica.url];
    const rules = serviceRules().replace('~QUEUE_PREFIX:*', '~t*');
    const user = await limitedUser([primary, replica], rules);
    const settings = {
      ...site.environment,
      REDIS_URL: withAccount(site.environment['REDIS_URL'], user),
      REDIS_SENTINEL_USERNAME: asker.name,
      REDIS_SENTINEL_PASSWORD: asker.password,
    };
    expect(await answers(settings)).toBe(true);
    expect(await answers({ ...settings, REDIS_SENTINEL_PASSWORD: 'wrong' })).toBe(false);
    expect(await answers({ ...settings, REDIS_SENTINEL_MASTER: 'another' })).toBe(false);
    await sendsMail(settings);
    const refused = [...(await user.refused()), ...(await asker.refused())];
    expect(refused.filter((command) => !MAY_BE_REFUSED.has(command))).toEqual([]);
  });
});
