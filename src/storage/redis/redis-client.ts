import { createIORedisClient, type IRedisClient } from 'bullmq';
import { Cluster, Redis, type RedisOptions as AnyRedisOptions, type ClusterOptions } from 'ioredis';
import { databaseOf, type RedisServers } from '../../config/redis-servers.js';
import { accountOf } from '../../config/well-known-passwords.js';

/**
 * The only maker of connections to Redis, whichever servers there are: one, a cluster, or those that sentinels name. Who
 * needs one says how it behaves while Redis is away.
 */
export type RedisClient = Redis | Cluster;

/** ioredis's own type of `replyMapping` refuses itself where an optional property may not be undefined. */
type RedisOptions = Omit<AnyRedisOptions, 'replyMapping'>;

/** How a client behaves: the words of ioredis, which mean the same on one server and on many. */
interface RedisBehaviour {
  readonly commandTimeout?: number;
  readonly connectTimeout?: number;
  readonly enableOfflineQueue?: boolean;
  readonly keepAlive?: number;
  readonly lazyConnect?: boolean;
  readonly maxRetriesPerRequest?: number | null;
  readonly retryStrategy?: ((times: number) => number | void | null) | null;
  readonly scripts?: Record<string, { lua: string; numberOfKeys: number }>;
  readonly socketTimeout?: number;
}

interface BullOptions extends RedisBehaviour {
  readonly servers?: RedisServers;
  readonly url?: string;
}

/** A sentinel that hangs is passed over for the next one. */
const SENTINEL_ANSWER_MS = 2_000;

export function redisClient(servers: RedisServers, behaviour: RedisBehaviour): RedisClient {
  if (servers.cluster !== undefined) return clusterClient(servers, servers.cluster, behaviour);
  const options: RedisOptions = { ...behaviour, reconnectOnError: afterDemotion(behaviour) };
  if (servers.sentinel === undefined) {
    // an empty object of TLS settings would be no more than rediss:// says by itself
    return new Redis(servers.url, { ...options, ...(servers.tls !== undefined && { tls: servers.tls }) });
  }
  const { nodes, master, username, password } = servers.sentinel;
  return new Redis({
    ...options,
    ...accountFor(servers),
    db: databaseOf(servers.url),
    sentinels: nodes.map((node) => ({ ...node })),
    name: master,
    // a client that may not try again ends here, and no other does: ioredis would give up for ever
    sentinelRetryStrategy: (times: number) =>
      behaviour.retryStrategy === null ? null : Math.min(50 * times, 1_000),
    sentinelCommandTimeout: SENTINEL_ANSWER_MS,
    ...(username !== undefined && { sentinelUsername: username }),
    ...(password !== undefined && { sentinelPassword: password }),
    ...(servers.tls !== undefined && { sentinelTLS: servers.tls, enableTLSForSentinelMode: true }),
  });
}

/** What BullMQ makes its connections of: options of ours, which name the servers, or anybody else's. */
export function bullClient({ servers, url, ...options }: BullOptions): IRedisClient {
  if (servers !== undefined) return createIORedisClient(redisClient(servers, options));
  const others: RedisOptions = options;
  return createIORedisClient(url === undefined ? new Redis(others) : new Redis(url, others));
}

/**
 * For a client whose requests do not wait: connects to each node of a cluster as it becomes known, not when the first request
 * wants it, which would come too early.
 */
export function connectAhead(redis: RedisClient): void {
  if (!(redis instanceof Cluster)) return;
  redis.on('+node', (node: Redis) => {
    if (node.options.readOnly !== true) node.connect().catch(() => undefined);
  });
}

/** Each server that takes writes, to ask what every one of them must answer for itself. */
export function writableServers(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

function clusterClient(
  servers: RedisServers,
  nodes: NonNullable<RedisServers['cluster']>,
  { enableOfflineQueue, lazyConnect, retryStrategy, scripts, ...each }: RedisBehaviour,
): Cluster {
  const isPatient = enableOfflineQueue !== false;
  const options = {
    ...(lazyConnect !== undefined && { lazyConnect }),
    ...(scripts !== undefined && { scripts }),
    enableOfflineQueue: isPatient,
    clusterRetryStrategy: (times: number) => retryStrategy?.(times) ?? null,
    // who does not wait gets an error at once instead of 16 tries in 1.6 s
    ...(!isPatient && { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
    slotsRefreshTimeout: 2_000,
    // certificates name hosts: the name must reach TLS, and the socket looks it up by itself
    dnsLookup: (address, callback) => callback(null, address),
    redisOptions: { ...each, ...accountFor(servers) },
  } satisfies ClusterOptions;
  return new Cluster(
    nodes.map((node) => ({ ...node })),
    options,
  );
}

function accountFor({ url, tls }: RedisServers): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { user = '', password = '' } = accountOf(url) ?? {};
  return {
    ...(user !== '' && { username: user }),
    ...(password !== '' && { password }),
    ...(tls !== undefined && { tls }),
  };
}

/**
 * A primary that became a replica keeps its clients and refuses their writes: they look for the new primary. What was refused had
 * no effect, so who waits for Redis sends it again.
 */
function afterDemotion({
  enableOfflineQueue,
}: RedisBehaviour): NonNullable<RedisOptions['reconnectOnError']> {
  return (error) => {
    if (!error.message.startsWith('READONLY')) return false;
    return enableOfflineQueue === false ? 1 : 2;
  };
}
