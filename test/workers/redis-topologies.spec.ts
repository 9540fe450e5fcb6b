import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { readConfig } from '../../src/config/config.js';
import { Clock } from '../../src/domain/shared/clock.js';
import { requireNoEviction } from '../../src/queues/redis-policy.js';
import { redisTakesWrites } from '../../src/queues/redis-takes-writes.js';
import { RedisRateLimiter } from '../../src/storage/redis/redis-rate-limiter.js';
import { TestAuthority } from '../conformance/support/certificate.js';
import { PlainSealer } from '../support/plain-sealer.js';
import { limitedUser, randomPrefix, serviceRules, type LimitedUser } from '../support/redis.js';
import { KeptLog } from '../support/sending.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import {
  sendTo,
  sendToAll,
  startCluster,
  startSentinels,
  startTlsRedis,
  type RedisTopology,
  type SentinelTopology,
  type TlsRedis,
} from './support/redis-topologies.js';
import { missed, workOfAllKinds } from './support/work-of-all-kinds.js';

type Settings = Readonly<Record<string, string>>;

/** The rights that operators copy. */
const [, CLUSTER_RIGHTS = '', SENTINEL_RIGHTS = ''] =
  /```\n(~\{QUEUE_PREFIX\}.*)\n```[\s\S]*?```\n(resetkeys .*)\n```/.exec(
    readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8'),
  ) ?? [];
class RunningClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }
}

function withAccount(url: string | undefined, { name, password }: LimitedUser): string {
  const signedIn = new URL(url ?? '');
  signedIn.username = name;
  signedIn.password = password;
  return signedIn.href;
}

/** Whether it takes a write within the two seconds of one attempt: on a busy machine the first may be late. */
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
    await worker.untilOps('/readyz', 200);
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
    (await sendToAll(cluster.servers, 'KEYS', pattern)) as string[][];

  it('imports, sends, retries and beats with the documented rights, all of a queue on one node', async () => {
    await workOfAllKinds(settings['REDIS_URL'] ?? '', settings, async ({ prefix }) => {
      const holders = (await keysOf(`{${prefix}}:*`)).filter((keys) => keys.length > 0);
      expect(holders).toHaveLength(1);
      expect((await keysOf(`${prefix}:*`)).flat()).toEqual([]);
    });
    expect(missed(await user.refused())).toEqual([]);
  });

  it('limits for all replicas together, with the counters spread over the nodes', async () => {
    const prefix = randomPrefix();
    const config = { app: readConfig({ ...settings, QUEUE_PREFIX: prefix }) };
    const made = () => new RedisRateLimiter(config, new RunningClock(), new PlainSealer(), new KeptLog());
    const [one, other] = [made(), made()];
    const sources = Array.from({ length: 12 }, (_, n) => `192.0.2.${n}`);
    await Promise.all(
      sources.map(async (source) => {
        // the other one counts nothing itself: what it refuses it knows from Redis
        await eventually('the other to refuse', 60_000, async () => {
          await one.hit('token', source, 3);
          return !(await other.check('token', source, 3)).allowed;
        });
      }),
    );
    expect((await keysOf(`${prefix}:rate:*`)).filter((keys) => keys.length > 0)).toHaveLength(3);
    one.onApplicationShutdown();
    other.onApplicationShutdown();
  });

  it('is refused in production when a single node evicts', async () => {
    const config = { ...readConfig(settings), production: true };
    const admin = { ...readConfig(cluster.environment), production: true };
    await requireNoEviction(config, new KeptLog());
    const url = cluster.servers[2]?.url ?? '';
    await sendTo(url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    for (const asked of [config, admin]) {
      // where an answer takes longer than two seconds, the start goes on
      const refusal = () => requireNoEviction(asked, new KeptLog()).then(() => 'none', String);
      await expect.poll(refusal).toContain('allkeys-lru');
    }
    await sendTo(url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
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
    await expect.poll(() => answers(right)).toBe(true);
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
    await expect.poll(() => answers({ ...right, REDIS_TLS_SERVER_NAME: 'localhost' })).toBe(true);
    expect(await answers({ ...right, REDIS_TLS_SERVER_NAME: 'redis.example.com' })).toBe(false);
    await sendsMail(right);
  });
});

describe('TLS among many', () => {
  const authority = new TestAuthority();
  const stranger = new TestAuthority();
  const folder = makeTestFolder();
  const strange = path.join(folder, 'strange.crt');
  beforeAll(() => writeFileSync(strange, stranger.cert));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Only whoever trusts the authority gets through, to whichever of the servers. */
  async function expectTls(settings: Settings): Promise<void> {
    expect(settings['REDIS_URL']).toMatch(/^rediss:/);
    await expect.poll(() => answers(settings)).toBe(true);
    const { REDIS_TLS_CA_FILE: _, ...withoutAuthority } = settings;
    expect(await answers(withoutAuthority)).toBe(false);
    expect(await answers({ ...settings, REDIS_TLS_CA_FILE: strange })).toBe(false);
    await sendsMail(settings);
  }

  it('reaches every node of a cluster', async () => {
    const cluster = await startCluster({ authority });
    try {
      await expectTls(cluster.environment);
    } finally {
      await cluster.stop();
    }
  });

  it('reaches the sentinels, the primary that they name, and the one that takes its place', async () => {
    const site = await startSentinels(authority);
    try {
      await expectTls(site.environment);
      await site.primary.kill();
      await eventually('the new primary', 60_000, async () =>
        String(await sendTo(site.replica.url, 'ROLE')).startsWith('master'),
      );
      await sendsMail(site.environment);
    } finally {
      await site.stop();
    }
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
    await expect.poll(() => answers(settings)).toBe(true);
    expect(await answers({ ...settings, REDIS_SENTINEL_PASSWORD: 'wrong' })).toBe(false);
    expect(await answers({ ...settings, REDIS_SENTINEL_MASTER: 'another' })).toBe(false);
    await sendsMail(settings);
    expect(missed([...(await user.refused()), ...(await asker.refused())])).toEqual([]);
  });
});
