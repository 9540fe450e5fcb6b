import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, type AppConfig } from '../../../src/config/config.js';
import { describeRedis } from '../../../src/config/redis-servers.js';
import { TestAuthority } from '../../conformance/support/certificate.js';

type Settings = Readonly<Record<string, string>>;

function read(settings: Settings): AppConfig {
  return readConfig(settings, (path) => {
    throw new Error(`no ${path}`);
  });
}

function faults(settings: Settings): readonly string[] {
  try {
    read(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const account = { REDIS_URL: 'redis://identity:x@any' };
const cluster = { ...account, REDIS_CLUSTER_NODES: 'redis-1:7000, redis-2,[fd00::3]:7002' };
const sentinels = { ...account, REDIS_SENTINELS: 'sentinel-1, 10.0.0.2:5000', REDIS_SENTINEL_MASTER: 'main' };
const authority = new TestAuthority();
const client = authority.issue('identity');
const tls = { REDIS_URL: 'rediss://identity:x@redis.example.com' };

describe('the servers of Redis', () => {
  it('are one by its URL, whose keys are as they always were', () => {
    const { redis, queues } = read({ REDIS_URL: 'redis://redis:6379/2' });
    expect(redis).toEqual({ url: 'redis://redis:6379/2' });
    expect(queues).toMatchObject({ prefix: 'identity', keyPrefix: 'identity' });
    expect(describeRedis(redis)).toBe('one server');
  });

  it('are a cluster by its nodes, which keep the queues together and spread the rest', () => {
    const { redis, queues } = read(cluster);
    expect(redis.cluster).toEqual([
      { host: 'redis-1', port: 7000 },
      { host: 'redis-2', port: 6379 },
      { host: 'fd00::3', port: 7002 },
    ]);
    expect(queues).toMatchObject({ prefix: '{identity}', keyPrefix: 'identity' });
    expect(describeRedis(redis)).toBe('cluster');
  });

  it('are those that sentinels name, whose keys are those of one server', () => {
    const { redis, queues } = read({ ...sentinels, REDIS_SENTINEL_PASSWORD: 'y' });
    expect(redis.sentinel).toEqual({
      nodes: [
        { host: 'sentinel-1', port: 26379 },
        { host: '10.0.0.2', port: 5000 },
      ],
      master: 'main',
      username: undefined,
      password: 'y',
    });
    expect(queues.prefix).toBe('identity');
    expect(describeRedis(redis)).toBe('primary named by sentinels');
  });

  it('speak TLS by rediss://, with certificates of their own', () => {
    expect(read(tls).redis.tls).toEqual({});
    const own = { REDIS_TLS_CA: authority.cert, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key };
    const { redis } = read({ ...tls, ...own, REDIS_TLS_SERVER_NAME: 'redis' });
    expect(redis.tls).toEqual({
      ca: authority.cert,
      cert: client.cert,
      key: client.key,
      servername: 'redis',
    });
    expect(describeRedis(redis)).toBe('one server, TLS');
  });

  it.each<[string, Settings, string]>([
    ['both lists', { ...cluster, ...sentinels }, 'REDIS_SENTINELS: give either'],
    ['nodes without an account', { REDIS_CLUSTER_NODES: 'redis-1' }, 'REDIS_CLUSTER_NODES: needs REDIS_URL'],
    [
      'sentinels without a name',
      { ...account, REDIS_SENTINELS: 'a' },
      'REDIS_SENTINEL_MASTER: is required beside',
    ],
    [
      'a name without sentinels',
      { ...account, REDIS_SENTINEL_MASTER: 'a' },
      'REDIS_SENTINEL_MASTER: needs REDIS_SENTINELS',
    ],
    [
      'a password without sentinels',
      { ...account, REDIS_SENTINEL_PASSWORD: 'a' },
      'REDIS_SENTINEL_PASSWORD: needs REDIS_SENTINELS',
    ],
    [
      'half an account of sentinels',
      { ...sentinels, REDIS_SENTINEL_USERNAME: 'a' },
      'REDIS_SENTINEL_PASSWORD: is required beside',
    ],
    [
      'a database of a cluster',
      { ...cluster, REDIS_URL: 'redis://any/3' },
      'REDIS_URL: must not name a database',
    ],
    [
      'URLs in a list',
      { ...account, REDIS_CLUSTER_NODES: 'redis://a:1' },
      'REDIS_CLUSTER_NODES: must list hosts',
    ],
    ['a port that is none', { ...account, REDIS_SENTINELS: 'a:70000' }, 'REDIS_SENTINELS: must list hosts'],
    ['an authority without TLS', { ...account, REDIS_TLS_CA: authority.cert }, 'REDIS_TLS_CA: needs TLS'],
    ['a name without TLS', { ...account, REDIS_TLS_SERVER_NAME: 'a' }, 'REDIS_TLS_SERVER_NAME: needs TLS'],
    [
      'an authority that is none',
      { ...tls, REDIS_TLS_CA: 'x' },
      'REDIS_TLS_CA: must be a certificate in PEM',
    ],
    ['a file that is not there', { ...tls, REDIS_TLS_CA_FILE: '/x' }, 'REDIS_TLS_CA_FILE: cannot be read'],
    ['a certificate alone', { ...tls, REDIS_TLS_CERT: client.cert }, 'REDIS_TLS_KEY: is required beside'],
    ['a key alone', { ...tls, REDIS_TLS_KEY: client.key }, 'REDIS_TLS_CERT: is required beside'],
    [
      'the key of another',
      { ...tls, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: authority.issue('other').key },
      'REDIS_TLS_KEY: is not the key of REDIS_TLS_CERT',
    ],
  ])('are refused with %s', (_, settings, fault) => {
    const found = faults(settings);
    expect(found[0]).toContain(fault);
    expect(found.join()).not.toMatch(/BEGIN|:x@/);
  });
});
